/* output.h: what an execution wrote, as one number. */
#ifndef SN_FUZZ_OUTPUT_H
#define SN_FUZZ_OUTPUT_H

#include <stdint.h>

/* Over the files stdout and stderr of the folder. */
uint64_t sn_output_sum(const char *dir);

#endif
