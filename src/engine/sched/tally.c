/* tally.c: the log, written in place into areas of the run file, see log.h. */
#include "tally.h"

#include "core/count.h"
#include "core/sys.h"
#include "plan.h"
#include "runtime/modules.h"
#include "runtime/sink.h"

struct sn_tally sn_tally SN_HOT;

enum { FIRST_AREA = 96, AREA = 256 };

static struct sn_log_entry *area SN_HOT;  /* in the run file; null: none yet, or no room */
static uint32_t used SN_HOT, room SN_HOT; /* of its entries */

static struct sn_log_entry *next_entry(void)
{
    if (used == room) {
        room = room ? AREA : FIRST_AREA;
        area = sn_sink_area(SN_SCHED_LOG, room * sizeof *area);
        used = 0;
    }
    if (!area) {
        sn_tally.lost++;
        return 0;
    }
    return &area[used++];
}

/* How often a thread came to a place since its last stop: a table for each thread. */
enum { PLACES = 256 };

struct places {
    uintptr_t pc[PLACES];
    uint32_t n[PLACES];
};

static struct places *places[SN_MAX_THREADS] SN_LARGE;

static uint32_t slot_of(const struct places *p, uintptr_t pc)
{
    uint32_t i = (uint32_t)(pc * 0x9e3779b97f4a7c15ull >> 56);
    for (uint32_t n = 0; p->pc[i] && p->pc[i] != pc && n < PLACES; n++)
        i = (i + 1) % PLACES;
    return i;
}

void sn_tally_count(struct sn_thread *t)
{
    struct places **p = &places[t->index];
    uintptr_t pc = sn_task_of(t)->next.pc;
    if (!*p && !(*p = sn_map(sizeof **p)))
        return;
    uint32_t i = slot_of(*p, pc);
    (*p)->pc[i] = pc;
    (*p)->n[i]++;
}

/* And it begins anew. */
static uint64_t how_often(struct sn_thread *t)
{
    struct places *p = places[t->index];
    uintptr_t pc = sn_task_of(t)->next.pc;
    if (!p)
        return 0;
    uint32_t i = slot_of(p, pc);
    uint64_t n = p->pc[i] == pc ? p->n[i] : 0;
    *p = (struct places){0};
    return n;
}

static void write_entry(enum sn_log_kind kind, struct sn_thread *t, struct sn_thread *next)
{
    struct sn_log_entry *e = next_entry();
    if (!e)
        return;
    const struct sn_task *k = sn_task_of(t);
    uint32_t choices = sn_sched.set[SN_SET_READY].n;
    e->op = k->next.op;
    e->choices = choices < 65535 ? (uint16_t)choices : 65535;
    e->thread = t->number;
    e->count = k->points;
    e->next = next->number;
    e->site = sn_modules_frame(k->next.pc);
    e->addr = sn_plan.count ? how_often(t) : k->next.addr;
    e->process = sn_sched.process;
    __atomic_store_n(&e->kind, (uint8_t)kind, __ATOMIC_RELEASE); /* last: it is whole now */
}

void sn_tally_decision(struct sn_thread *self, struct sn_thread *next)
{
    if (!self)
        return;
    bool choice = sn_task_of(self)->set != SN_SET_NONE;
    if (self != next)
        sn_tally.switches++;
    if (self == next)
        return;
    write_entry(choice ? SN_LOG_PREEMPT : SN_LOG_FORCED, self, next);
    const struct sn_next *n = &sn_task_of(self)->next;
    if (!choice && n->op != SN_EV_END)
        sn_tally_step(self, n->op, n->op == SN_EV_JOIN ? 0 : n->addr, n->pc, SN_STEP_WAITS);
}

void sn_tally_choice(enum sn_log_kind kind, struct sn_thread *by, struct sn_thread *chosen)
{
    write_entry(kind, by, chosen);
}

void sn_tally_hit(struct sn_thread *a, struct sn_thread *b)
{
    struct {
        uint32_t type, zero;
        struct sn_log_hit hit;
    } r = {SN_SCHED_HIT,
           0,
           {sn_sched.steps,
            {a->number, b->number},
            {sn_modules_frame(sn_task_of(a)->next.pc), sn_modules_frame(sn_task_of(b)->next.pc)}}};
    sn_tally.hits++;
    sn_sink_write(SN_REC_ENGINE, &r, sizeof r);
}

void sn_tally_seen(uintptr_t pc, uint32_t op)
{
    enum { SLOTS = 1 << 16 };
    static uintptr_t seen[SLOTS] SN_LARGE;
    uint32_t i = (uint32_t)(pc * 0x9e3779b97f4a7c15ull >> 48);
    for (uint32_t n = 0; seen[i] && n < SLOTS; n++, i = (i + 1) % SLOTS)
        if (seen[i] == pc)
            return;
    if (seen[i])
        return; /* full */
    seen[i] = pc;
    struct {
        uint32_t type, zero;
        struct sn_seen seen;
    } r = {SN_SCHED_SEEN, 0, {sn_modules_frame(pc), op, 0}};
    sn_sink_write(SN_REC_ENGINE, &r, sizeof r);
}

static struct sn_log_step *ring; /* in the run file; null: none yet */
static uint64_t count;

void sn_tally_step(struct sn_thread *t, uint8_t op, uintptr_t object, uintptr_t pc,
                   enum sn_step_how how)
{
    if (!sn_plan.tell)
        return;
    if (!ring)
        ring = sn_sink_area(SN_SCHED_STEPS, SN_STEPS * sizeof *ring);
    if (!ring)
        return;
    struct sn_log_step *s = &ring[__atomic_fetch_add(&count, 1, __ATOMIC_RELAXED) % SN_STEPS];
    bool names_thread = op == SN_EV_CREATE || op == SN_EV_JOIN;
    s->op = op;
    s->how = (uint8_t)how;
    s->thread = t->number;
    s->site = sn_modules_frame(pc);
    s->object = names_thread ? object : sn_modules_frame(object);
    s->number = count;
}

void sn_tally_summary(void)
{
    struct {
        uint32_t type, zero;
        struct sn_log_summary s;
    } r = {SN_SCHED_SUMMARY,
           0,
           {sn_sched.steps, sn_tally.switches, sn_tally.hits, sn_tally.lost, sn_tally.diverged,
            sn_tally.followed, sn_plan.nentries + sn_plan.nturns, sn_sched.now,
            sn_tally.redundant}};
    sn_count(SCHEDULES);
    sn_sink_write(SN_REC_ENGINE, &r, sizeof r);
}

void sn_tally_forked(void)
{
    area = 0;
    used = room = 0;
    ring = 0;
    count = 0;
    sn_tally = (struct sn_tally){0};
}
