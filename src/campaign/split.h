/* split.h: inside src/campaign only: seeds and modules become units of a plan. */
#ifndef SN_CAMPAIGN_SPLIT_H
#define SN_CAMPAIGN_SPLIT_H

#include "campaign/plan.h"

/* What a unit does besides its seeds. */
struct sn_module {
    const char *what;            /* for people: "./bank 100" */
    const char *folder;          /* where it runs; null: home */
    const struct sn_words *env;  /* null: none */
    const struct sn_words *args; /* the program and its arguments, or files */
};

struct sn_split {
    const char *engine;
    int64_t first, last, by; /* seeds */
    const struct sn_words *options;
    double timeout_s;
    const char *suppressions; /* absolute; null: none */
};

/* Adds a unit for each `by` seeds. */
void sn_split_seeds(struct sn_plan *p, const struct sn_split *s, const struct sn_module *m);
/* The modules of a ctest or Meson test list, each to `fn`. 0, or -errno with words in *why. */
int sn_test_list(const struct sn_recipe_tests *t, const char *folder,
                 void (*fn)(void *arg, const struct sn_module *m), void *arg, char **why);

#endif
