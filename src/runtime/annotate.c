/*
 * annotate.c: the dynamic annotations (Annotate*) that programs compiled for ThreadSanitizer,
 * Helgrind or DRD already have, and __tsan_external_*.
 */
#include "access.h"

#include <stddef.h>
#include <stdint.h>

#include "core/event.h"
#include "runtime/hook.h"

static void tell(enum sn_event_op op, uintptr_t addr, uint64_t size, uint64_t value, uintptr_t pc)
{
    struct sn_thread *t = sn_hook_enter(pc);
    if (!t)
        return;
    struct sn_event ev = {.op = (uint8_t)op, .addr = addr, .size = size, .value = value, .pc = pc};
    sn_engine_event(t, &ev);
    sn_hook_leave(t);
}

#define ANNOTATE(name, params, body)                                                               \
    SN_EXPORT void name params;                                                                    \
    SN_EXPORT void name params                                                                     \
    {                                                                                              \
        (void)file, (void)line;                                                                    \
        body;                                                                                      \
    }
#define AT const char *file, int line
#define UP(p) ((uintptr_t)(p))

ANNOTATE(AnnotateHappensBefore, (AT, void *p),
         tell(SN_EV_RELEASE_MERGE, UP(p), 0, 0, SN_CALLER))
ANNOTATE(AnnotateHappensAfter, (AT, void *p), tell(SN_EV_ACQUIRE, UP(p), 0, 0, SN_CALLER))
ANNOTATE(WTFAnnotateHappensBefore, (AT, void *p),
         tell(SN_EV_RELEASE_MERGE, UP(p), 0, 0, SN_CALLER))
ANNOTATE(WTFAnnotateHappensAfter, (AT, void *p), tell(SN_EV_ACQUIRE, UP(p), 0, 0, SN_CALLER))
ANNOTATE(AnnotateCondVarSignal, (AT, void *p), tell(SN_EV_RELEASE_MERGE, UP(p), 0, 0, SN_CALLER))
ANNOTATE(AnnotateCondVarSignalAll, (AT, void *p),
         tell(SN_EV_RELEASE_MERGE, UP(p), 0, 0, SN_CALLER))
ANNOTATE(AnnotateCondVarWait, (AT, void *p, void *m),
         ((void)m, tell(SN_EV_ACQUIRE, UP(p), 0, 0, SN_CALLER)))
ANNOTATE(AnnotateMutexIsNotPHB, (AT, void *p), (void)p)
ANNOTATE(AnnotateMutexIsUsedAsCondVar, (AT, void *p), (void)p)
ANNOTATE(AnnotatePCQCreate, (AT, void *p), (void)p)
ANNOTATE(AnnotatePCQDestroy, (AT, void *p), (void)p)
ANNOTATE(AnnotatePCQPut, (AT, void *p), tell(SN_EV_RELEASE_MERGE, UP(p), 0, 0, SN_CALLER))
ANNOTATE(AnnotatePCQGet, (AT, void *p), tell(SN_EV_ACQUIRE, UP(p), 0, 0, SN_CALLER))

void __tsan_mutex_create(void *, unsigned);
void __tsan_mutex_destroy(void *, unsigned);
void __tsan_mutex_pre_lock(void *, unsigned);
void __tsan_mutex_post_lock(void *, unsigned, int);
int __tsan_mutex_pre_unlock(void *, unsigned);
void __tsan_mutex_post_unlock(void *, unsigned);
enum { READ_LOCK = 1 << 3 };

ANNOTATE(AnnotateRWLockCreate, (AT, void *p), __tsan_mutex_create(p, 0))
ANNOTATE(AnnotateRWLockCreateStatic, (AT, void *p), __tsan_mutex_create(p, 0))
ANNOTATE(AnnotateRWLockDestroy, (AT, void *p), __tsan_mutex_destroy(p, 0))
ANNOTATE(AnnotateRWLockAcquired, (AT, void *p, long w),
         (__tsan_mutex_pre_lock(p, 0), __tsan_mutex_post_lock(p, w ? 0 : READ_LOCK, 0)))
ANNOTATE(AnnotateRWLockReleased, (AT, void *p, long w),
         (__tsan_mutex_pre_unlock(p, w ? 0 : READ_LOCK), __tsan_mutex_post_unlock(p, 0)))

ANNOTATE(AnnotateIgnoreReadsBegin, (AT), tell(SN_EV_IGNORE, 0, 0, 1, SN_CALLER))
ANNOTATE(AnnotateIgnoreReadsEnd, (AT), tell(SN_EV_WATCH, 0, 0, 1, SN_CALLER))
ANNOTATE(AnnotateIgnoreWritesBegin, (AT), tell(SN_EV_IGNORE, 0, 0, 2, SN_CALLER))
ANNOTATE(AnnotateIgnoreWritesEnd, (AT), tell(SN_EV_WATCH, 0, 0, 2, SN_CALLER))
ANNOTATE(AnnotateIgnoreSyncBegin, (AT), tell(SN_EV_IGNORE, 0, 0, 4, SN_CALLER))
ANNOTATE(AnnotateIgnoreSyncEnd, (AT), tell(SN_EV_WATCH, 0, 0, 4, SN_CALLER))

ANNOTATE(AnnotateBenignRaceSized, (AT, void *p, size_t n, const char *why),
         ((void)why, tell(SN_EV_BENIGN, UP(p), n, 0, SN_CALLER)))
ANNOTATE(WTFAnnotateBenignRaceSized, (AT, void *p, size_t n, const char *why),
         ((void)why, tell(SN_EV_BENIGN, UP(p), n, 0, SN_CALLER)))
ANNOTATE(AnnotateBenignRace, (AT, void *p, const char *why),
         ((void)why, tell(SN_EV_BENIGN, UP(p), 1, 0, SN_CALLER)))
ANNOTATE(AnnotateNewMemory, (AT, void *p, size_t n), tell(SN_EV_MAP, UP(p), n, 0, SN_CALLER))
ANNOTATE(AnnotatePublishMemoryRange, (AT, void *p, size_t n), ((void)p, (void)n))
ANNOTATE(AnnotateUnpublishMemoryRange, (AT, void *p, size_t n), ((void)p, (void)n))
ANNOTATE(AnnotateExpectRace, (AT, void *p, const char *why), ((void)p, (void)why))
ANNOTATE(AnnotateFlushExpectedRaces, (AT), (void)0)
ANNOTATE(AnnotateFlushState, (AT), (void)0)
ANNOTATE(AnnotateEnableRaceDetection, (AT, int on), (void)on)
ANNOTATE(AnnotateThreadName, (AT, const char *name), (void)name)
ANNOTATE(AnnotateTraceMemory, (AT, void *p), (void)p)
ANNOTATE(AnnotateNoOp, (AT, void *p), (void)p)
ANNOTATE(AnnotateMemoryIsInitialized, (AT, void *p, size_t n), ((void)p, (void)n))
ANNOTATE(AnnotateMemoryIsUninitialized, (AT, void *p, size_t n), ((void)p, (void)n))

SN_EXPORT int RunningOnValgrind(void);
SN_EXPORT int RunningOnValgrind(void)
{
    return 0;
}

SN_EXPORT void __tsan_external_read(void *addr, void *caller, void *tag);
SN_EXPORT void __tsan_external_read(void *addr, void *caller, void *tag)
{
    (void)tag, (void)caller;
    sn_access_read_range(UP(addr), 1, SN_CALLER);
}

SN_EXPORT void __tsan_external_write(void *addr, void *caller, void *tag);
SN_EXPORT void __tsan_external_write(void *addr, void *caller, void *tag)
{
    (void)tag, (void)caller;
    sn_access_write_range(UP(addr), 1, SN_CALLER);
}

SN_EXPORT void __snag_colour(unsigned long group, const void *p, size_t n);
SN_EXPORT void __snag_colour(unsigned long group, const void *p, size_t n)
{
    if (sn_engine_colour && sn_ready)
        sn_engine_colour(group, UP(p), n);
}

SN_EXPORT void __snag_ins_addr(const void *p);
SN_EXPORT void __snag_ins_addr(const void *p)
{
    if (sn_engine_choose && sn_ready)
        sn_engine_choose(UP(p));
}
