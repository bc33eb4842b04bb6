/*
 * load.h: the two functions that the loadable LLVM module gives to the command.
 */
#ifndef SN_CHECK_LLVM_LOAD_H
#define SN_CHECK_LLVM_LOAD_H

#include "check/bytecode.h"

/* Reads and links n bitcode or IR files into *out (sn_bytecode_free() in any case). 0, or -1 when nothing
 * could be loaded. *message (malloc, may be null) is what went wrong, also after a success that left
 * a file out. ir_out: a file for the linked IR, or null. */
typedef int sn_llvm_load_fn(const char *const *files, size_t n, const char *ir_out, struct sn_bytecode *out,
                            char **message);
typedef int sn_llvm_version_fn(void); /* major version: bitcode of a newer clang cannot be read */
/* Calls fn for every symbol with external linkage that a file defines or needs. 0, or -1. */
typedef int sn_llvm_symbols_fn(const char *file, void (*fn)(void *arg, const char *name, bool defined),
                               void *arg);

sn_llvm_load_fn sn_llvm_load;
sn_llvm_symbols_fn sn_llvm_symbols;
sn_llvm_version_fn sn_llvm_version;

#endif
