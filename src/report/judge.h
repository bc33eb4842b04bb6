/*
 * judge.h: which findings are known already: those of a baseline (`--baseline FILE`, `snag
 * baseline`) and those that were suppressed one by one (`snag suppress ID`). They stay in the store
 * and in the JSON form, marked; they are not shown and do not count for the exit status.
 */
#ifndef SN_REPORT_JUDGE_H
#define SN_REPORT_JUDGE_H

#include <jansson.h>
#include <stdbool.h>

#include "report/report.h"

/* What one judgement came to. Owned by judge.c, valid until the next. */
struct sn_judged {
    size_t known, suppressed; /* findings, without candidates */
    const char *baseline;     /* the file; null: none */
    char **stale;             /* titles and places of entries that no finding matched */
    size_t nstale;
};

/* Reads a baseline. 0, or -errno with a sentence in *why (malloc). */
int sn_judge_baseline(const char *file, char **why);
/* This finding is suppressed: `key` and `fingerprint` as `snag suppress` keeps them. */
void sn_judge_suppress(const char *key, const char *fingerprint);
void sn_judge_forget(void);

/* Marks what is known. */
const struct sn_judged *sn_judge(const struct sn_report *r);

const struct sn_judged *sn_judged(void); /* the last judgement */

/* The findings (no candidates) as a baseline file has them. */
json_t *sn_judge_to_json(const struct sn_report *r);

#endif
