/*
 * check.h: `snag check` as one call: units in, findings out. Used by the command and by the language
 * server.
 */
#ifndef SN_CHECK_CHECK_H
#define SN_CHECK_CHECK_H

#include "check/worker.h"

struct sn_check_request {
    struct sn_sources *units;   /* to compile */
    struct sn_check_options options;
    struct sn_compiling compiling;
    const char *only;           /* check only programs that this file is part of; null: all */
    int jobs;
};

/* Compiles, groups into programs and checks them all; everything found and said is in *out. 0, or -1
 * when nothing could be checked (out->messages say why). */
int sn_check(const struct sn_check_request *r, struct sn_check_result *out);

#endif
