/*
 * objects.h: what a recorder wants to know of a program before it runs: its global variables, the
 * functions that the user excludes, and which arguments of functions may be pointers. Written as
 * the lines that engine/record/pair.c reads.
 */
#ifndef SN_SYMBOL_OBJECTS_H
#define SN_SYMBOL_OBJECTS_H

#include <stddef.h>
#include <stdio.h>

/* Appends what the file at `path` has. `pattern`: shell patterns for functions. Returns how many
 * functions are excluded, or -errno. */
int sn_symbol_objects(const char *path, char *const *pattern, size_t npatterns, FILE *out);

#endif
