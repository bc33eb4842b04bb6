/*
 * own_function.h: functions of the program's own modules that `snag cc` compiled with room for a
 * jump at their entry (-fpatchable-function-entry=16,14).
 */
#ifndef SN_RUNTIME_OWN_FUNCTION_H
#define SN_RUNTIME_OWN_FUNCTION_H

#include "runtime/elf_module.h"

/* Calls found() for every function in the symbol table of the module's file that has such room: its
 * entry, and where it goes on behind the room. */
void sn_own_each(const struct sn_elf *m, void (*found)(const struct sn_elf *m, const char *name,
                                                       uintptr_t entry, uintptr_t body));
/* From now on the function begins with a jump to `to`. */
bool sn_own_jump(uintptr_t entry, uintptr_t body, uintptr_t to);

#endif
