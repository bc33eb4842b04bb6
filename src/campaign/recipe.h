/*
 * recipe.h: the campaign file: what to run, with which engines, how long. A line is a keyword and
 * its words; doc/campaign.md has them all. Nothing is guessed: an unknown word is an error with its
 * line.
 *
 * Ownership: a struct sn_recipe owns all it points to; sn_recipe_clear() gives it back.
 */
#ifndef SN_CAMPAIGN_RECIPE_H
#define SN_CAMPAIGN_RECIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/words.h"

struct sn_recipe_engine {
    char *name;              /* a command of snag: fuzz, run, … */
    int64_t first, last, by; /* seeds first … last, `by` of them in a unit */
    bool next;               /* as many seeds, but those after the last campaign's */
    struct sn_words options;
    int line;
};

struct sn_recipe_program {
    struct sn_words words;
    int line;
};

enum sn_test_list { SN_TESTS_CTEST, SN_TESTS_MESON };

struct sn_recipe_tests {
    enum sn_test_list kind;
    char *folder;           /* of the build */
    struct sn_words chosen; /* ctest: options such as -R REGEX; Meson: names of suites */
    int line;
};

struct sn_recipe {
    char *name;   /* null: not said */
    char *folder; /* null: the file's own */
    char *store, *suppressions;
    struct sn_recipe_program *program;
    struct sn_recipe_tests *tests;
    struct sn_recipe_engine *engine;
    size_t nprograms, ntests, nengines;
    struct sn_words sources, traces; /* for check, for predict */
    struct sn_words carry;           /* files that go along to machines without a shared folder */
    double timeout_s, budget_s, unit_time_s; /* 0: none */
    int64_t retries;                         /* -1: not said */
};

/* 0, or -EINVAL with "line N: …" in *why (malloc). `text` need not end with a zero. */
int sn_recipe_parse(const char *text, size_t bytes, struct sn_recipe *out, char **why);
void sn_recipe_clear(struct sn_recipe *r);

/* "90", "90s", "15m", "2h", "1d": seconds. 0 or -EINVAL. */
int sn_duration_parse(const char *text, double *seconds);
/* Whether `name` is a command that a unit can be. */
bool sn_recipe_knows_engine(const char *name);

#endif
