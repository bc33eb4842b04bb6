/* effect.h: what a bad end of the program was, in words. */
#ifndef SN_FUZZ_EFFECT_H
#define SN_FUZZ_EFFECT_H

#include "fuzz/execute.h"

/* err: file with what the program wrote to stderr. malloc; null for SN_END_OK. */
char *sn_effect_words(enum sn_end end, int status, int expected, double timeout_s, const char *err);

#endif
