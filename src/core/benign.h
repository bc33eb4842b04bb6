/* benign.h: ranges of memory in which the program's annotations call races benign. */
#ifndef SN_BENIGN_H
#define SN_BENIGN_H

#include <stddef.h>
#include <stdint.h>

void sn_benign_add(uintptr_t addr, size_t size);
int sn_benign_has(uintptr_t addr);

#endif
