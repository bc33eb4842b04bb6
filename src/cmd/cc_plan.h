/*
 * cc_plan.h: what a compiler's arguments ask for, and which arguments `snag cc` puts in front of
 * them. Pure functions: nothing is run, only response files are read.
 */
#ifndef SN_CMD_CC_PLAN_H
#define SN_CMD_CC_PLAN_H

#include <stdbool.h>

#include "cmd/words.h"

enum sn_cc_kind { SN_CC_GCC, SN_CC_CLANG };

struct sn_cc_request {
    bool has_input;       /* else it is a question to the compiler: nothing is added */
    bool preprocess_only; /* -E, -M, -MM */
    bool cxx;             /* a file of it is C++; the caller knows it of `snag c++` */
    bool links;
    bool is_static;      /* -static or -static-pie; says which in `static_word` */
    bool relocatable;    /* -r */
    bool shared;         /* may become a shared library */
    bool no_default_lib; /* the compiler does not add its sanitizer library itself */
    bool strips;         /* -s: nothing of the symbols stays, so relocations cannot either */
    bool others;         /* another sanitizer, such as undefined, needs its library linked */
    const char *static_word;
    char conflict[32]; /* a sanitizer that cannot be together with thread; empty: none */
};

void sn_cc_read(char *const *args, struct sn_cc_request *r);
/* The arguments to put in front of the user's, whose options so win. */
void sn_cc_extra(const struct sn_cc_request *r, enum sn_cc_kind kind, const char *lib,
                 struct sn_words *out);
/* The user's argument as the compiler gets it (malloc), or null when it is left out because it
 * would bring in another runtime. */
char *sn_cc_argument(const struct sn_cc_request *r, enum sn_cc_kind kind, const char *arg);

#endif
