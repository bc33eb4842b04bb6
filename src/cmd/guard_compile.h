/* guard_compile.h: compiles functions of a program anew, without instrumentation. */
#ifndef SN_CMD_GUARD_COMPILE_H
#define SN_CMD_GUARD_COMPILE_H

#include "cmd/words.h"

/* A program as `program` was when it was linked, but what `list` (an ignore list of clang's form)
 * names is not instrumented; `files` are base names of the sources that have such functions. It is
 * written below `folder`, under the same base name; its path (malloc), or null after words about
 * why it cannot be. */
char *sn_guard_compile(const char *program, const char *list, const struct sn_words *files,
                       const char *folder);

#endif
