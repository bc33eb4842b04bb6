/*
 * parser.h: what parse.c and parse_rule.c share: the words of one line, and what they are read
 * into.
 */
#ifndef SN_CONTRACT_PARSER_H
#define SN_CONTRACT_PARSER_H

#include "contract/contract.h"

enum { SN_PARSER_WORDS = 512 };

struct sn_parser {
    struct sn_contracts *c;
    const char *file;
    size_t lib;
    bool has_library;
    int line;
    char *word[SN_PARSER_WORDS];
    unsigned n, at;
    char *why; /* the first error */
};

/* Notes what is wrong, with file and line; -EINVAL. */
__attribute__((format(printf, 2, 3))) int sn_parser_bad(struct sn_parser *p, const char *format,
                                                        ...);
const char *sn_parser_peek(const struct sn_parser *p); /* "" at the end */
const char *sn_parser_next(struct sn_parser *p);
bool sn_parser_accept(struct sn_parser *p, const char *word);
bool sn_parser_is_name(const char *s);
int sn_parser_number(struct sn_parser *p, int64_t *out);
struct sn_contract_type *sn_parser_type(struct sn_parser *p, const char *name);
int sn_parser_mode(const struct sn_parser *p, const char *name); /* index, or -1 */
int sn_parser_test(struct sn_parser *p, bool args, uint8_t *test);

/* parse_rule.c: a line whose first word, already taken, is that. */
int sn_parser_rule(struct sn_parser *p, const char *first);
/* The callbacks that the file's rules name are described in it. */
int sn_parser_check_callbacks(struct sn_parser *p);

#endif
