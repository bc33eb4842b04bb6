/*
 * machine.h: all that the rewriting knows of a machine's instructions. Another machine is another
 * file with these functions.
 */
#ifndef SN_GUARD_MACHINE_H
#define SN_GUARD_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "guard/calls.h"

/* A relocation of type `type` at code[at]: is the instruction around it a call? Its beginning goes
 * to *begin. */
enum sn_call_form sn_machine_call(const uint8_t *code, size_t bytes, size_t at, unsigned type,
                                  size_t *begin, uint32_t *length);
/* A direct call or jump at code[at]: its target relative to the address of code[0]. */
bool sn_machine_target(const uint8_t *code, size_t bytes, size_t at, int64_t *target,
                       enum sn_call_form *form, uint32_t *length);
/* A linkage table entry at code[at]: the slot that it jumps through, relative to code[0]. */
bool sn_machine_plt(const uint8_t *code, size_t bytes, size_t at, int64_t *slot, uint32_t *length);

/* Instead of the call: nothing (of a tail call the return is left). */
void sn_machine_erase(uint8_t *code, const struct sn_call_site *c);
/* Instead of the call: a call of `target`. False: too far. */
bool sn_machine_redirect(uint8_t *code, const struct sn_call_site *c, uint64_t target);

enum { SN_STUB_BYTES = 64 };
/* A stub at address `at`; returns its bytes. Calls `target` with the number in a register of its
 * own, all arguments kept, and goes on to `after`. */
size_t sn_machine_stub_before(uint8_t *to, uint64_t at, uint32_t id, uint64_t target,
                              uint64_t after);
#endif
