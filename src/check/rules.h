/*
 * rules.h: contract files (src/contract) in the simulation: which calls of library functions may
 * not overlap on one object, which take and give locks, which belong to one thread. A call is
 * recorded with its thread's clock, like an access; two that conflict and are not ordered are a
 * thread-safety violation. What a contract asks at run time and nobody can know here (the library's
 * version, its mode) counts as not holding: no alarm rests on a guess.
 *
 * Ownership: struct sn_rules owns its tables; the contracts are the caller's and outlive it.
 */
#ifndef SN_CHECK_RULES_H
#define SN_CHECK_RULES_H

#include "check/vm.h"
#include "contract/contract.h"

struct sn_rules;

/* The rules for the functions that the program calls and does not define; null: there are none. */
struct sn_rules *sn_rules_bind(const struct sn_bytecode *code, const struct sn_contracts *c);
void sn_rules_free(struct sn_rules *r);
void sn_rules_reset(struct sn_rules *r); /* a new run begins */

/* Whether the function belongs to a library with a contract, so that calling it is nothing unknown.
 */
bool sn_rules_know(const struct sn_vm *vm, uint32_t func);
/* Before the call: what it does to its objects. SN_DONE, SN_POINT, or SN_BLOCK at a lock. */
enum sn_result sn_rules_before(struct sn_vm *vm, struct sn_task *t, const struct sn_insn *i,
                               uint32_t func);
/* Behind a call that no model has carried out: objects that it makes. *result is set when it
 * returns one. */
void sn_rules_after(struct sn_vm *vm, struct sn_task *t, const struct sn_insn *i, uint32_t func,
                    struct sn_reg *result);

#endif
