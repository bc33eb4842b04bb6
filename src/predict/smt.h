/*
 * smt.h: difference logic: integer variables, clauses over `a < b`, and truth values. One file
 * behind it knows Z3. Clauses are only ever added; a question is asked under one assumption, so
 * what was learned for one question serves the next.
 */
#ifndef SN_PREDICT_SMT_H
#define SN_PREDICT_SMT_H

#include <stdbool.h>
#include <stdint.h>

struct sn_smt;

enum sn_answer { SN_NO, SN_YES, SN_UNKNOWN };

enum sn_literal_kind { SN_LESS, SN_NOT_LESS, SN_TRUE, SN_FALSE };

/* SN_LESS: number a < number b; SN_NOT_LESS: a >= b; SN_TRUE, SN_FALSE: truth value a. */
struct sn_literal {
    enum sn_literal_kind kind;
    uint32_t a, b;
};

/* False when the machine has no Z3: every answer is SN_UNKNOWN then. */
bool sn_smt_available(void);
struct sn_smt *sn_smt_new(void);
void sn_smt_free(struct sn_smt *s);
/* Forgets everything: for the next window. */
void sn_smt_reset(struct sn_smt *s);
uint32_t sn_smt_number(struct sn_smt *s);
uint32_t sn_smt_numbers(const struct sn_smt *s); /* how many there are */
uint32_t sn_smt_truth(struct sn_smt *s);
void sn_smt_clause(struct sn_smt *s, const struct sn_literal *l, uint32_t n);
/* Can all clauses hold with truth value `assume` true? limit_ms 0: no limit. */
enum sn_answer sn_smt_check(struct sn_smt *s, uint32_t assume, unsigned limit_ms);
/* After SN_YES. */
int64_t sn_smt_value(struct sn_smt *s, uint32_t number);
bool sn_smt_is_true(struct sn_smt *s, uint32_t truth);

#endif
