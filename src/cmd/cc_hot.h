/* cc_hot.h: -fsanitize-ignorelist=FILE for gcc, which has no such option. */
#ifndef SN_CMD_CC_HOT_H
#define SN_CMD_CC_HOT_H

#include <stdbool.h>
#include <stddef.h>

#include "cmd/words.h"

bool sn_cc_hot_wanted(const struct sn_words *line);
/* Runs the compiler of this command line; the status is its. */
int sn_cc_hot(const struct sn_words *line);
/* The text of a C file in which the functions of `names` are not instrumented. malloc. */
char *sn_cc_hot_text(const char *text, const struct sn_words *names);

#endif
