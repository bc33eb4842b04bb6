/* leaf.h: does a function, by its machine code, touch general registers and memory only? */
#ifndef SN_CORE_LEAF_H
#define SN_CORE_LEAF_H

#include <stdbool.h>
#include <stdint.h>

/* It calls nobody, jumps nowhere else, and uses no vector register. False: it does, or that cannot
 * be said. Reads at most 256 bytes, and none past the function's end. */
bool sn_leaf_is_plain(const uint8_t *function);

#endif
