/*
 * rewrite.h: a guarded copy of an executable or library: calls of the instrumentation that nothing
 * needs are gone, those that are needed go to the guard runtime, which is copied into the file with
 * the invariants. The copy needs neither libsnag nor snag. Sections, symbols and debug information
 * stay, unless they are not wanted: strip(1) cannot take them off afterwards, because it moves the
 * program headers back to where there is no room for the new ones.
 */
#ifndef SN_GUARD_REWRITE_H
#define SN_GUARD_REWRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "guard/calls.h"
#include "standalone/standalone.h"

struct sn_rewrite {
    const char *in, *out;
    const char *runtime;  /* lib/snag-guard.module, or the one for many sites */
    const char *run_path; /* where the loader looks for guarded libraries; null: as before */
    const char *own_lib;  /* snag's library folder: taken off the loader's path */
    bool is_library;
    bool strip; /* nothing but what the loader needs */
    const struct sn_calls *calls;
    const uint32_t *id; /* by call: number of the site, 0: not guarded */
    const struct sn_sa_site *sites;
    const struct sn_sa_more *more;
    const uint32_t *members;
    const uint8_t *rows; /* SN_SA_ROW bytes each; null: the runtime is the one for many sites */
    uint32_t nrows;
    const char *strings;
    uint32_t nsites, nmembers, string_bytes;
    uint32_t lib_folder; /* the folder of guarded libraries, in the strings; 0: none */
    uint32_t step_us, steps, budget_ms;
    /* filled in */
    size_t guarded, erased, left;
};

/* 0, or -errno with a sentence in *why (malloc). Nothing half-written stays. */
int sn_rewrite(struct sn_rewrite *r, char **why);
/* Can this call be guarded in a rewritten program? How its arguments tell the address goes to
 * *kind. */
bool sn_rewrite_can(const struct sn_call_site *c, enum sn_sa_kind *kind);

#endif
