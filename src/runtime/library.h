/*
 * library.h: what libraries order that are not instrumented and make their locks of futexes and
 * atomics themselves. Contracts say what their functions do (doc/contracts.md); calls come through
 * redirect.h and become the events that calls of pthread functions are.
 */
#ifndef SN_RUNTIME_LIBRARY_H
#define SN_RUNTIME_LIBRARY_H

#include <stdbool.h>
#include <stdint.h>

#include "core/contract.h"
#include "core/engine.h"
#include "core/sync.h"
#include "core/thread.h"

/* The two halves of a call and its end, for engines that have none of their own. */
int sn_library_fast(struct sn_call *c);
void sn_library_enter(struct sn_call *c, int action);
void sn_library_leave(struct sn_call *c);
void sn_library_unwound(
    void); /* the innermost long call ends by an exception, or with the thread */

/* library_object.c: the object of an effect: a place in memory, or what a key's values name; 0:
 * there is none. `value`, `value2`: of the effect's operands. */
uintptr_t sn_library_object(const struct sn_contract_effect *e, uintptr_t value, uintptr_t value2);
void sn_library_send(struct sn_thread *t, uintptr_t key, uintptr_t pc);
void sn_library_receive(struct sn_thread *t, uintptr_t key, uintptr_t pc);
/* A reference is given up between begin and end. Nobody else who gives up one to the object comes in
 * between. */
void sn_library_turn_begin(const struct sn_thread *t, uintptr_t object);
/* Memory is about to be freed: by the call that gives up the last reference, perhaps. What others have
 * released since that began, and gave up inside the library, comes before. */
void sn_library_frees(struct sn_thread *t);
void sn_library_drop_begin(struct sn_thread *t, uintptr_t object, uintptr_t pc);
void sn_library_drop_end(const struct sn_thread *t, uintptr_t object);
/* The call gets functions that lead to the callback's entry first. */
void sn_library_callback(struct sn_call *c, const struct sn_contract_effect *e);
void sn_library_method(const struct sn_call *c, const struct sn_contract_effect *e);
void sn_library_method_called(const struct sn_call *c); /* the object is as it was */

/* library_lock.c: around the real functions. */
struct sn_lib_lock {
    uintptr_t lock, cond, pc;
    uint8_t how; /* enum sn_contract_how */
};
void sn_lib_locks(struct sn_thread *t, const struct sn_lib_lock *l);
void sn_lib_locked(struct sn_thread *t, const struct sn_lib_lock *l);
void sn_lib_not_locked(void); /* a try was in vain */
void sn_lib_unlocks(struct sn_thread *t, const struct sn_lib_lock *l);
void sn_lib_unlocked(struct sn_thread *t, const struct sn_lib_lock *l);
enum { SN_LIB_NOTHING, SN_LIB_EXCLUSIVE, SN_LIB_SHARED }; /* what a wait gives up */
uint8_t sn_lib_waits(struct sn_thread *t, const struct sn_lib_lock *l);
void sn_lib_waited(struct sn_thread *t, const struct sn_lib_lock *l, uint8_t gave);

/* For futex.c: the thread is about to wait at `word`, inside a library's function that takes a lock
 * without a time limit: that lock; null: it does not. at_word: only if the lock itself is there. */
struct sn_sync *sn_lib_wanted(uintptr_t word, bool at_word);
uintptr_t sn_lib_wanted_at(void); /* where that function was called */
/* The same, and the thread's wait is known to the deadlock watch; false: it does not wait for one.
 */
bool sn_lib_wait_begins(struct sn_thread *t, uintptr_t word);

#endif
