/*
 * plan.h: a campaign split into numbered units. A unit is a plain command of snag with seeds or a
 * module of its own; on disk it is a shell script that anybody can run anywhere:
 *
 *     DIR/plan.json        the plan; written last, so a folder without it is not planned
 *     DIR/units/0017       the unit, a script
 *     DIR/out/0017/        its store, once it is whole (out/0017.part-… before)
 *     DIR/log/0017         what it printed
 *     DIR/fail/0017        a line for each time that it failed
 *
 * Ownership: a struct sn_plan owns all it points to; sn_plan_clear() gives it back.
 */
#ifndef SN_CAMPAIGN_PLAN_H
#define SN_CAMPAIGN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "campaign/recipe.h"
#include "cmd/words.h"
#include "store/unit_id.h"

#define SN_SEEDS_KIND                                                                              \
    "campaign-seeds" /* blobs: the last seed that was used, by campaign and engine */

struct sn_unit {
    char *what;              /* "fuzz ./bank, seeds 101 to 200" */
    char *folder;            /* where it runs; absolute */
    struct sn_words command; /* after `snag` */
    struct sn_words env;     /* NAME=VALUE */
};

struct sn_plan {
    char *dir;                       /* absolute */
    char *name, *home, *store;       /* home: the folder whose files go along; absolute */
    char id[SN_CAMPAIGN_DIGITS + 1]; /* random */
    int64_t planned_ns;
    double budget_s, unit_time_s;
    int64_t retries;
    struct sn_words carry; /* below home */
    struct sn_words seeds; /* "KEY LAST": what `seeds next` is to go on from, once merged */
    char *source;          /* what it was made of, to know it again */
    struct sn_unit *unit;
    size_t n;
};

/* From a file, or (words of `snag COMMAND …`) from a command line that is split into `units`. The
 * plan has no folder yet. 0, or -errno with words in *why (malloc). */
int sn_plan_from_file(const char *path, struct sn_plan *out, char **why);
int sn_plan_from_words(char *const *words, int64_t units, struct sn_plan *out, char **why);
/* `snag` is the command that units call. */
int sn_plan_save(struct sn_plan *p, const char *dir, const char *snag, char **why);
int sn_plan_load(const char *dir, struct sn_plan *out, char **why);
void sn_plan_clear(struct sn_plan *p);

/* One more unit, all zero but its folder (home); valid until the next. */
struct sn_unit *sn_plan_add(struct sn_plan *p);
char *sn_plan_file(const struct sn_plan *p, const char *sub,
                   size_t unit); /* DIR/SUB/0017; malloc */
/* Single quotes, and "$home" for the campaign's own folder. malloc. */
char *sn_plan_quote(const char *word, const char *home);

#endif
