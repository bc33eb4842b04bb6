/* guard.h: what `snag guard` and `snag guard build` share. */
#ifndef SN_CMD_GUARD_H
#define SN_CMD_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#include "guard/invariants.h"
#include "store/finding.h"

/* What is left on in production must cost next to nothing: a program that is busy for so long in a
 * run gets this budget, in percent, when no option says what is to be guarded. Shorter ones, as
 * tests of one bug are, get all their guards. */
#define SN_GUARD_LONG_MS 100
#define SN_GUARD_BUDGET 1

struct sn_guard_options {
    bool bias, annotated, groups, all, strip, as_is, anew;
    double bias_percent;
    double budget;   /* percent; 0: none */
    bool by_default; /* nobody asked for the budget */
    int64_t patch; /* finding; 0: all */
    const char *output, *hot;
    int64_t stall_ms, step_us, budget_ms;
};
extern struct sn_guard_options sn_guard_options;

typedef bool sn_guard_can(void *arg, const struct sn_inv_place *p);

/* sn_inv_select() as the options say; was: the program before it was compiled anew, or null. 0, or
 * SN_EXIT_FAILED after a message. */
int sn_guard_choose(struct sn_inv *v, sn_guard_can *can, void *arg, const struct sn_inv *was);
/* Before it: the budget, where there is one by default. */
void sn_guard_default_budget(struct sn_inv *v, sn_guard_can *can, void *arg);
/* Places at which the finding's sites are. */
size_t sn_guard_places(struct sn_inv *v, const struct sn_finding *f, uint32_t *out, size_t max);
/* The places that matter to finding sn_guard_options.patch. 0, or SN_EXIT_FAILED after a message.
 */
int sn_guard_patch(struct sn_inv *v, uint32_t *out, size_t max, size_t *n);
void sn_guard_print_groups(const struct sn_inv *v);
/* After sn_inv_select(): leaves out what is too much, says so, and what the rest will cost. 0, or
 * SN_EXIT_FAILED after a message. */
int sn_guard_within_budget(struct sn_inv *v, struct sn_inv_choice *c);
int sn_guard_build(int argc, char **argv);
/* An option that was given and has no meaning for a build; null: none. */
const char *sn_guard_option_of_runs(void);

#endif
