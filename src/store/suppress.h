/*
 * suppress.h: findings that the user does not want to see, in ThreadSanitizer's syntax:
 *
 *     # comment
 *     race:function_or_file_or_module_or_global
 *     race_top:…  deadlock:…  mutex:…  thread:…  signal:…  called_from_lib:library
 *
 * A pattern matches a part of the name; `*` stands for anything, `^` for the beginning, `$` for the
 * end.
 *
 * Ownership: *out is freed with sn_suppress_free(). Texts that are handed out belong to it.
 */
#ifndef SN_STORE_SUPPRESS_H
#define SN_STORE_SUPPRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "store/finding.h"

struct sn_suppressions;

/* 0, or -errno with words in *why (malloc) that name the file and the line. */
int sn_suppress_load(const char *file, struct sn_suppressions **out, char **why);
void sn_suppress_free(struct sn_suppressions *s);
/* Removes what is suppressed; returns how many went. */
size_t sn_suppress_apply(struct sn_suppressions *s, struct sn_findings *fs);
/* Calls fn for each entry that has matched nothing so far. */
void sn_suppress_unused(const struct sn_suppressions *s,
                        void (*fn)(void *arg, int line, const char *entry), void *arg);
/* For tests: whether `pattern` matches `text`. */
bool sn_suppress_match(const char *pattern, const char *text);

#endif
