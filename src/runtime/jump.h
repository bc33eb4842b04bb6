/* jump.h: control leaves calls without returning from them. */
#ifndef SN_RUNTIME_JUMP_H
#define SN_RUNTIME_JUMP_H

#include <stdint.h>

/* The calling thread is about to go on with this stack pointer, outside every hook: forget the
 * calls that lie below it. */
void sn_jump_to(uintptr_t rsp);

#endif
