/*
 * openmp.h: what OpenMP's constructs order, whoever's library does them (openmp_gomp.c: gcc's,
 * openmp_ompt.c: clang's).
 *
 * A region has a part for every thread, which is a task as explicit ones are. A task belongs to who
 * made it: sn_omp_task_end(), sn_omp_part_end() and sn_omp_region_end() give the caller's reference
 * back; what others still need stays. Null, for want of memory, is accepted everywhere and orders
 * nothing. `pc` is where the program called. Not to be called from inside a hook.
 */
#ifndef SN_RUNTIME_OPENMP_H
#define SN_RUNTIME_OPENMP_H

#include <stdbool.h>
#include <stdint.h>

#include "core/event.h"

struct sn_omp_region;
struct sn_omp_task;

enum sn_omp_depend { SN_OMP_IN, SN_OMP_OUT, SN_OMP_MUTEX, SN_OMP_SET, SN_OMP_DEPENDS };

void sn_omp_tell(enum sn_event_op op, const void *object, uintptr_t pc);

/* Into the library, where it may wait, and back: a scheduler lets others run meanwhile. */
void sn_omp_go(uintptr_t pc);
void sn_omp_come(uintptr_t pc);
/* The same for gcc's library, whose waits a scheduler may see: then the thread stays. */
void sn_gomp_go(uintptr_t pc);
void sn_gomp_come(uintptr_t pc);

/* By the thread that comes to the region, before and after it. */
struct sn_omp_region *sn_omp_region_begin(uintptr_t pc);
void sn_omp_region_end(struct sn_omp_region *r, uintptr_t pc);
/* By every thread of it. */
struct sn_omp_task *sn_omp_part_begin(struct sn_omp_region *r, uintptr_t pc);
void sn_omp_part_end(struct sn_omp_task *part, uintptr_t pc);
struct sn_omp_region *sn_omp_region_of(struct sn_omp_task *k);

void sn_omp_barrier_enter(struct sn_omp_task *part, uintptr_t pc);
void sn_omp_barrier_leave(struct sn_omp_task *part, uintptr_t pc);
/* In a barrier a thread unites what others have brought with its own. */
void sn_omp_unite_begin(struct sn_omp_task *part);
void sn_omp_unite_end(struct sn_omp_task *part);

/* By the maker: new, its dependences, made. After that the task may begin anywhere. */
struct sn_omp_task *sn_omp_task_new(struct sn_omp_task *maker);
void sn_omp_task_depend(struct sn_omp_task *k, const void *variable, enum sn_omp_depend how);
void sn_omp_task_made(struct sn_omp_task *k, uintptr_t pc);
void sn_omp_task_begin(struct sn_omp_task *k, uintptr_t pc); /* also when it goes on */
void sn_omp_task_done(struct sn_omp_task *k, uintptr_t pc);  /* what it waits for beside its end */
void sn_omp_task_end(struct sn_omp_task *k, uintptr_t pc);
void sn_omp_task_forget(struct sn_omp_task *k); /* the caller's reference, and nothing else */
void sn_omp_task_keep(struct sn_omp_task *k);   /* one more */

bool sn_omp_task_has_children(const struct sn_omp_task *k); /* that have not ended */
void sn_omp_task_wait(struct sn_omp_task *k, uintptr_t pc); /* its children have ended */
void sn_omp_group_begin(struct sn_omp_task *k);
void sn_omp_group_wait(struct sn_omp_task *k, uintptr_t pc); /* its tasks have ended */
void sn_omp_group_end(struct sn_omp_task *k, uintptr_t pc);

/* A loop whose tasks are made by whoever has time. */
void sn_omp_loop_told(struct sn_omp_task *k, uintptr_t pc);
void sn_omp_loop_taken(struct sn_omp_task *k, uintptr_t pc);

/* Objects of the region that `k` is in, or of none. */
const void *sn_omp_ordered(struct sn_omp_task *k);
const void *sn_omp_reduced(struct sn_omp_task *k);
const void *sn_omp_iteration(struct sn_omp_task *k, const int64_t *vector, unsigned n);

/* The library may use this memory for something else. */
void sn_omp_fresh(const void *p, uint64_t bytes);

/* Whether the calling thread's accesses count; calls come in pairs. */
void sn_omp_look(bool again);

/* The task that the calling thread runs, of gcc's library and of clang's; null outside of all. */
struct sn_omp_task *sn_gomp_current(void);
struct sn_omp_task *sn_ompt_current(void);

/* The library's own function; which one is in use is known when it is first called. */
#define SN_OMP_REAL(name) sn_real_of_library(SN_OPERATOR_##name, sn_omp_libraries)
extern const char *const sn_omp_libraries[];

#endif
