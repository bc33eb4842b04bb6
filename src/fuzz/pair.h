/*
 * pair.h: from source positions to code positions of the program as it is built now. Which
 * statements there are is seen by running the program once: the engine tells every place of an
 * access or synchronisation operation that ran.
 */
#ifndef SN_FUZZ_PAIR_H
#define SN_FUZZ_PAIR_H

#include "fuzz/execute.h"
#include "store/finding.h"

struct sn_position {
    char file[256];
    int line;
};

/* The code position that ran first at each of n source positions, as site[i].stack. Status as
 * below. */
int sn_pair_resolve(struct sn_runner *r, const struct sn_position *p, size_t n,
                    struct sn_site *site, char **why);
/* text: "FILE:LINE,FILE:LINE". 0 and a data-race candidate in *f; else an exit status, with a
 * sentence in *why (malloc) when no message was given yet. */
int sn_pair_find(struct sn_runner *r, const char *text, struct sn_finding *f, char **why);
/* Do the finding's code positions, all in `program`, still mean the source positions they had? */
bool sn_pair_is_current(const struct sn_finding *f, const char *program);

#endif
