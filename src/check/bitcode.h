/*
 * bitcode.h: compiled units kept from one check to the next, for a server that checks a program
 * again at every edit. CACHE/NAME.bc is the bitcode, CACHE/NAME.d what it was made of, as clang
 * says it.
 */
#ifndef SN_CHECK_BITCODE_H
#define SN_CHECK_BITCODE_H

#include "check/clang.h"

/* CACHE/NAME for this unit, by its file, folder and flags (malloc). */
char *sn_bitcode_name(const char *cache, const char *clang, const struct sn_source *u);
/* Whether it is there, and nothing that it was made of has changed since. */
bool sn_bitcode_fresh(const char *name, const struct sn_source *u, const struct sn_compiling *how);

#endif
