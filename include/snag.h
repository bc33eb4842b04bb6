/*
 * snag.h: annotations for programs under test. All are optional, and all are nothing when the
 * program runs without snag: each is a weak reference, so there is no library to link, and the test
 * of a pointer is the whole cost. The ones with a counterpart in ThreadSanitizer use its names
 * below, so they work there too. doc/annotations.md explains each with an example.
 *
 * Define SNAG_NO_ANNOTATIONS to compile them away.
 */
#ifndef SNAG_H
#define SNAG_H

/* Macros of this header expand in programs with warnings of their own choice (-Wold-style-cast). */
#if __INCLUDE_LEVEL__
#pragma GCC system_header
#endif

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef SNAG_NO_ANNOTATIONS
#define SNAG_CALL(f, args) ((void)((f) ? (f)args, 0 : 0))
#else
/* Nothing is evaluated, but what is named counts as used: there is no warning. */
#define SNAG_CALL(f, args) ((void)(0 ? (f)args, 0 : 0))
#endif

/* Under names of their own, so that no other header's declarations can differ. */
#define SNAG_WEAK(name) __asm__(#name) __attribute__((weak))

void snag_acquire(void *) SNAG_WEAK(__tsan_acquire);
void snag_release(void *) SNAG_WEAK(__tsan_release);
void snag_lock_create(void *, unsigned) SNAG_WEAK(__tsan_mutex_create);
void snag_lock_destroy(void *, unsigned) SNAG_WEAK(__tsan_mutex_destroy);
void snag_locking(void *, unsigned) SNAG_WEAK(__tsan_mutex_pre_lock);
void snag_locked(void *, unsigned, int) SNAG_WEAK(__tsan_mutex_post_lock);
int snag_unlocking(void *, unsigned) SNAG_WEAK(__tsan_mutex_pre_unlock);
void snag_unlocked(void *, unsigned) SNAG_WEAK(__tsan_mutex_post_unlock);
void snag_reads_off(const char *, int) SNAG_WEAK(AnnotateIgnoreReadsBegin);
void snag_reads_on(const char *, int) SNAG_WEAK(AnnotateIgnoreReadsEnd);
void snag_writes_off(const char *, int) SNAG_WEAK(AnnotateIgnoreWritesBegin);
void snag_writes_on(const char *, int) SNAG_WEAK(AnnotateIgnoreWritesEnd);
void snag_sync_off(const char *, int) SNAG_WEAK(AnnotateIgnoreSyncBegin);
void snag_sync_on(const char *, int) SNAG_WEAK(AnnotateIgnoreSyncEnd);
void snag_benign(const char *, int, void *, size_t, const char *)
    SNAG_WEAK(AnnotateBenignRaceSized);
void snag_new_memory(const char *, int, void *, size_t) SNAG_WEAK(AnnotateNewMemory);
void snag_colour(unsigned long, const void *, size_t) SNAG_WEAK(__snag_colour);
void snag_ins_addr(const void *) SNAG_WEAK(__snag_ins_addr);
void snag_global(const volatile void *, size_t) SNAG_WEAK(__snag_global);

#define SNAG_POINTER(p) ((void *)(size_t)(p))

/* An order that snag cannot see: what a thread did before SNAG_HAPPENS_BEFORE(p) happens before
 * what another does after a later SNAG_HAPPENS_AFTER(p). p is any address that both agree on. */
#define SNAG_HAPPENS_BEFORE(p) SNAG_CALL(snag_release, (SNAG_POINTER(p)))
#define SNAG_HAPPENS_AFTER(p) SNAG_CALL(snag_acquire, (SNAG_POINTER(p)))

/* Races on these bytes are known and wanted; say why. SNAG_BENIGN(x, "…") is for a whole variable.
 */
#define SNAG_BENIGN_RANGE(p, bytes, why)                                                           \
    SNAG_CALL(snag_benign, (__FILE__, __LINE__, SNAG_POINTER(p), (bytes), (why)))
#define SNAG_BENIGN(variable, why) SNAG_BENIGN_RANGE(&(variable), sizeof(variable), why)

/* What the calling thread reads and writes in between is not looked at; they nest. */
#define SNAG_IGNORE_READS_BEGIN() SNAG_CALL(snag_reads_off, (__FILE__, __LINE__))
#define SNAG_IGNORE_READS_END() SNAG_CALL(snag_reads_on, (__FILE__, __LINE__))
#define SNAG_IGNORE_WRITES_BEGIN() SNAG_CALL(snag_writes_off, (__FILE__, __LINE__))
#define SNAG_IGNORE_WRITES_END() SNAG_CALL(snag_writes_on, (__FILE__, __LINE__))
#define SNAG_IGNORE_BEGIN() (SNAG_IGNORE_READS_BEGIN(), SNAG_IGNORE_WRITES_BEGIN())
#define SNAG_IGNORE_END() (SNAG_IGNORE_WRITES_END(), SNAG_IGNORE_READS_END())
/* The same for locks and atomics: they order nothing in between. */
#define SNAG_IGNORE_SYNC_BEGIN() SNAG_CALL(snag_sync_off, (__FILE__, __LINE__))
#define SNAG_IGNORE_SYNC_END() SNAG_CALL(snag_sync_on, (__FILE__, __LINE__))

/* Memory that an allocator of the program's own hands out: its past is forgotten. */
#define SNAG_NEW_MEMORY(p, bytes)                                                                  \
    SNAG_CALL(snag_new_memory, (__FILE__, __LINE__, SNAG_POINTER(p), (bytes)))

/* A lock of the program's own making. LOCKING and LOCKED stand around the code that takes it,
 * UNLOCKING and UNLOCKED around the code that gives it; what lies between them is the lock's own
 * business. LOCK_FAILED in place of LOCKED: a try that did not get it. The READ forms: for readers.
 */
#define SNAG_LOCK_CREATE(lock) SNAG_CALL(snag_lock_create, (SNAG_POINTER(lock), 0))
#define SNAG_LOCK_DESTROY(lock) SNAG_CALL(snag_lock_destroy, (SNAG_POINTER(lock), 0))
#define SNAG_LOCKING(lock) SNAG_CALL(snag_locking, (SNAG_POINTER(lock), 0))
#define SNAG_LOCKED(lock) SNAG_CALL(snag_locked, (SNAG_POINTER(lock), 0, 0))
#define SNAG_UNLOCKING(lock) SNAG_CALL(snag_unlocking, (SNAG_POINTER(lock), 0))
#define SNAG_UNLOCKED(lock) SNAG_CALL(snag_unlocked, (SNAG_POINTER(lock), 0))
#define SNAG_TRY_LOCKING(lock) SNAG_CALL(snag_locking, (SNAG_POINTER(lock), 1u << 4))
#define SNAG_TRY_LOCKED(lock) SNAG_CALL(snag_locked, (SNAG_POINTER(lock), 1u << 4, 0))
#define SNAG_LOCK_FAILED(lock) SNAG_CALL(snag_locked, (SNAG_POINTER(lock), 3u << 4, 0))
#define SNAG_READ_LOCKING(lock) SNAG_CALL(snag_locking, (SNAG_POINTER(lock), 1u << 3))
#define SNAG_READ_LOCKED(lock) SNAG_CALL(snag_locked, (SNAG_POINTER(lock), 1u << 3, 0))
#define SNAG_READ_UNLOCKING(lock) SNAG_CALL(snag_unlocking, (SNAG_POINTER(lock), 1u << 3))
#define SNAG_READ_UNLOCKED(lock) SNAG_CALL(snag_unlocked, (SNAG_POINTER(lock), 1u << 3))

/* Variables that belong together (`snag learn`, `snag guard`): an access to one counts as an access to
 * all that have the same group, a number of the program's choice, so that bugs of more than one
 * variable are covered too. */
#define SNAG_COLOUR(group, p, bytes)                                                               \
    SNAG_CALL(snag_colour, ((unsigned long)(group), SNAG_POINTER(p), (bytes)))

/* What `snag guard build --annotated` guards, and nothing else: the accesses of the function, or of the
 * block, in which these stand, and all accesses to what p points to. The first two cost nothing. */
#if defined(SNAG_NO_ANNOTATIONS) || !defined(__x86_64__)
#define SNAG_INS_THIS_FUNC() ((void)0)
#define SNAG_INS_THIS_BLOCK() ((void)0)
#else
#define SNAG_INS_MARK(kind)                                                                        \
    __asm__ volatile("9987:\n\t.pushsection .snag_ins,\"a\",@progbits\n\t.balign 4\n\t"              \
                     ".long 9987b - .\n\t.long " #kind "\n\t.popsection" ::                       \
                         : "memory")
static __inline__ __attribute__((always_inline, unused)) void snag_block_end(const char *unused_mark)
{
    (void)unused_mark;
    SNAG_INS_MARK(3);
}
#define SNAG_INS_THIS_FUNC() SNAG_INS_MARK(1)
#define SNAG_INS_THIS_BLOCK()                                                                      \
    __attribute__((cleanup(snag_block_end), unused)) char snag_block_mark;                         \
    SNAG_INS_MARK(2)
#endif
#define SNAG_INS_THIS_ADDR(p) SNAG_CALL(snag_ins_addr, (SNAG_POINTER(p)))

/* snag predict: code that is not recorded uses this variable without being handed its address. From
 * here on every call of such code counts as able to reach it. */
#define SNAG_GLOBAL(variable) SNAG_CALL(snag_global, (&(variable), sizeof(variable)))

#ifdef __cplusplus
}
#endif

#endif
