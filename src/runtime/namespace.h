/*
 * namespace.h: modules that dlmopen() has loaded beside those of the program. dl_iterate_phdr()
 * shows its caller's namespace only.
 */
#ifndef SN_RUNTIME_NAMESPACE_H
#define SN_RUNTIME_NAMESPACE_H

#include "runtime/elf_module.h"

/* Every module of every further namespace (1, 2, …). Under dl_iterate_phdr(), whose lock keeps the
 * lists as they are. */
void sn_namespace_each(const struct sn_elf *program,
                       void (*visit)(const struct dl_phdr_info *info, int number));

#endif
