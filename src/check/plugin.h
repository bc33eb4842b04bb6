/* plugin.h: the loadable LLVM part (check/llvm/), or why it is not there. */
#ifndef SN_CHECK_PLUGIN_H
#define SN_CHECK_PLUGIN_H

#include "check/llvm/load.h"

struct sn_llvm {
    sn_llvm_load_fn *load;
    sn_llvm_symbols_fn *symbols;
    int version; /* major */
};

/* dir is the folder of snag's libraries. 0, or -ENOENT with a sentence in *why (malloc). */
int sn_llvm_open(const char *dir, struct sn_llvm *out, char **why);

#endif
