/* guard.c: the engine's events: new memory is forgotten, freed memory counts as accessed. */
#include "guard.h"

#include <sys/resource.h>

#include "core/engine.h"
#include "core/invariants.h"
#include "core/options.h"
#include "core/sys.h"
#include "record.h"
#include "runtime/real.h"
#include "runtime/sink.h"

const char sn_engine_name[] = "guard";
const int sn_engine_gates = 1;
const int sn_engine_sees_blocks = 1;
const int sn_engine_own_heap = 0;
const int sn_engine_needs_code = 1;

struct sn_guard sn_guard;

static struct sn_guard_rec_time begun; /* when this process began */

/* Processor time of the process so far. */
static struct sn_guard_rec_time time_used(void)
{
    struct sn_guard_rec_time r = {.kind = SN_GUARD_REC_TIME};
    struct rusage used;
    if (sn_sys2(SYS_getrusage, RUSAGE_SELF, &used) == 0) {
        r.user_us = (uint64_t)used.ru_utime.tv_sec * 1000000 + (uint64_t)used.ru_utime.tv_usec;
        r.system_us = (uint64_t)used.ru_stime.tv_sec * 1000000 + (uint64_t)used.ru_stime.tv_usec;
    }
    return r;
}

static uint64_t all_counted(void)
{
    uint64_t n = __atomic_load_n(&sn_guard.counted, __ATOMIC_RELAXED);
    for (uint32_t i = 0, threads = sn_thread_count(); i < threads; i++) {
        enum sn_thread_state state = sn_thread_at(i)->state;
        if (state == SN_T_RUNNING || state == SN_T_FINISHED)
            n += sn_guard_of(sn_thread_at(i))->counted;
    }
    return n;
}

/* What the accesses that were counted took: so many in so much time (guard/cost.c). */
static void tell_time(void)
{
    struct sn_guard_rec_time r = time_used();
    r.user_us -= begun.user_us;
    r.system_us -= begun.system_us;
    if (sn_guard.mode == SN_MODE_SPEED) {
        r.kind = SN_GUARD_REC_SPEED;
        r.accesses = all_counted();
    }
    sn_sink_write(SN_REC_ENGINE, &r, sizeof r);
}

void sn_engine_init(void)
{
    sn_guard.mode = (enum sn_guard_mode)sn_opt.guard_mode;
    if (sn_guard.mode == SN_MODE_GUARD || sn_guard.mode == SN_MODE_EXPOSE)
        sn_inv_load();
    sn_site_init();
    begun = time_used();
}

/* What threads have put off; whoever still runs may tell it again, which does no harm. */
void sn_engine_exit(void)
{
    for (uint32_t i = 0, n = sn_thread_count(); i < n; i++)
        if (sn_thread_at(i)->state == SN_T_RUNNING)
            sn_guard_flush(sn_thread_at(i));
    if (sn_guard.mode == SN_MODE_LEARN || sn_guard.mode == SN_MODE_SPEED)
        tell_time();
}

void sn_engine_forked(struct sn_thread *self)
{
    sn_guard_of(self)->counted = 0;
    __atomic_store_n(&sn_guard.counted, 0, __ATOMIC_RELAXED);
    sn_site_forked();
    begun = time_used();
}

void sn_engine_thread_new(struct sn_thread *t, struct sn_thread *parent)
{
    (void)parent;
    *sn_guard_of(t) = (struct sn_guard_thread){0};
}

void sn_engine_thread_gone(struct sn_thread *t)
{
    __atomic_fetch_add(&sn_guard.counted, sn_guard_of(t)->counted, __ATOMIC_RELAXED);
    sn_guard_of(t)->counted = 0;
}

/* Only locks can be stalled before, and only where the command says so. */
enum sn_gate_answer sn_engine_gate(struct sn_thread *t, struct sn_event *ev)
{
    if (!sn_guard.lock_points || (ev->op != SN_EV_LOCK && ev->op != SN_EV_RDLOCK) || t->nheld)
        return SN_GO;
    struct sn_guard_site *s = sn_site_get(ev->pc);
    if (s && s->flags & SN_INV_STALL)
        sn_stall_expose(t, s);
    return SN_GO;
}

/* Whoever frees must come after the last use. */
static void freed(const struct sn_event *ev)
{
    sn_guard_range(ev->addr, sn_real_usable_size((void *)ev->addr), ev->pc, SN_TOUCH_FREE);
}

void sn_engine_event(struct sn_thread *t, const struct sn_event *ev)
{
    if (!(ev->flags & SN_EF_HANDLER)) /* it may come between a record and its access */
        sn_guard_flush(t);
    switch (ev->op) {
    case SN_EV_ALLOC:
    case SN_EV_MAP:
    case SN_EV_UNMAP:
        sn_rec_clear(ev->addr, ev->size);
        break;
    case SN_EV_FREE:
        freed(ev);
        break;
    case SN_EV_IGNORE:
        sn_guard_of(t)->ignore++;
        break;
    case SN_EV_WATCH:
        if (sn_guard_of(t)->ignore)
            sn_guard_of(t)->ignore--;
        break;
    default:
        break;
    }
}
