/*
 * report.c: what the engine writes: violations, what became of pairs (at once, so that a crash does
 * not lose them), and coverage at the end.
 */
#include "tsvd.h"

#include <string.h>

#include "core/decimal.h"
#include "record.h"
#include "runtime/draft.h"
#include "runtime/modules.h"
#include "runtime/redirect.h"
#include "runtime/sink.h"
#include "trap.h"

struct words {
    char text[512];
    size_t n;
};

static void add(struct words *w, const char *s)
{
    while (*s && w->n < sizeof w->text - 1)
        w->text[w->n++] = *s++;
    w->text[w->n] = 0;
}

static void add_number(struct words *w, uint32_t v)
{
    char digits[SN_DECIMAL];
    sn_decimal(digits, v);
    add(w, digits);
}

static const char *text(uint32_t at)
{
    return SN_CONTRACT_TEXT(sn_contracts, at);
}

const char *sn_point_name(uint32_t point)
{
    const struct sn_point *p = &sn_points[point];
    if (p->flags & SN_SITE_MEMORY)
        return p->entry ? "write" : "read";
    return text(sn_contract_entry(p->entry)->name);
}

static void add_line(struct words *w, const struct sn_contract_effect *e)
{
    const struct sn_contract_object *o = sn_contract_object(e->object);
    add(w, text(sn_contract_library(o->library)->file));
    add(w, ":");
    add_number(w, e->line);
}

/* "GHashTable: glib.contract:12, glib.contract:20": object before the colon, lines after it. */
static void describe(struct words *w, const struct sn_touch *a, const struct sn_touch *b)
{
    const struct sn_contract_effect *x = sn_contract_effect(a->effect);
    const struct sn_contract_effect *y = sn_contract_effect(b->effect);
    const struct sn_contract_object *o = sn_contract_object(x->object);
    while (o->map)
        o = sn_contract_object(o->root);
    add(w, text(o->name));
    add(w, ": these calls must not overlap on one object (");
    if (x->line > y->line) {
        const struct sn_contract_effect *swap = x;
        x = y;
        y = swap;
    }
    add_line(w, x);
    if (x->line != y->line) {
        add(w, ", ");
        add_line(w, y);
    }
    add(w, ")");
}

static uint64_t pair_hash(uint32_t a, uint32_t b)
{
    uint64_t x = (uint64_t)sn_points[a].pc * 31 + sn_points[a].entry;
    uint64_t y = (uint64_t)sn_points[b].pc * 31 + sn_points[b].entry;
    return (x < y ? x * 0x9e3779b97f4a7c15ull + y : y * 0x9e3779b97f4a7c15ull + x) ^ 0x7354;
}

static void call_sites(struct sn_thread *t, uint32_t where, const struct sn_touch *touch,
                       const struct sn_trap *trap, uint64_t hash)
{
    struct words w = {.n = 0};
    describe(&w, touch, &trap->touch);
    struct sn_draft *d = sn_draft_begin(SN_KIND_THREAD_SAFETY, SN_CONFIRMED, hash, w.text);
    if (!d)
        return;
    sn_draft_named_object(d, SN_OBJ_CONTRACT, touch->addr, w.text);
    sn_draft_site(d, trap->thread, SN_OP_CALL, trap->where, touch->addr, 0, true,
                  sn_point_name(trap->point));
    sn_draft_site(d, t, SN_OP_CALL, where, touch->addr, 0, true,
                  sn_point_name(sn_tsvd_of(t)->point));
    sn_draft_commit(d);
}

/* No delay was needed: the call is wrong whatever happens at the same time. */
void sn_tsvd_report_broken(struct sn_thread *t, const struct sn_call *c,
                           const struct sn_touch *touch, const struct sn_broken *other)
{
    const struct sn_contract_effect *e = sn_contract_effect(touch->effect);
    struct sn_thread *first = sn_thread_by_number(other->thread - 1);
    uint32_t mine = sn_tsvd_of(t)->point, where = sn_tsvd_where(t, c);
    struct words w = {.n = 0};
    add(&w, text(sn_contract_object(e->object)->name));
    add(&w, e->act == SN_ACT_ONLY ? ": only the thread that owns the object may call this ("
                                  : ": another thread has not finished what it began (");
    add_line(&w, e);
    add(&w, ")");
    struct sn_draft *d = first ? sn_draft_begin(SN_KIND_THREAD_SAFETY, SN_OBSERVED,
                                                pair_hash(mine, other->point), w.text)
                               : 0;
    if (!d)
        return;
    sn_draft_named_object(d, SN_OBJ_CONTRACT, touch->addr, w.text);
    sn_draft_site(d, first, SN_OP_CALL, other->where, touch->addr, 0, false,
                  sn_point_name(other->point));
    sn_draft_site(d, t, SN_OP_CALL, where, touch->addr, 0, true, sn_point_name(mine));
    sn_draft_commit(d);
}

static uint32_t size_of(const struct sn_touch *x)
{
    return (uint32_t)__builtin_popcount(x->bytes);
}

static enum sn_op op_of(const struct sn_touch *x)
{
    return x->does & SN_CB_WRITE ? SN_OP_WRITE : SN_OP_READ;
}

/* Two threads stand before conflicting accesses: a data race, and both were brought to it. */
static void memory_sites(struct sn_thread *t, uint32_t where, const struct sn_touch *x,
                         const struct sn_trap *trap, uint64_t hash)
{
    struct sn_draft *d = sn_draft_begin(SN_KIND_DATA_RACE, SN_CONFIRMED, hash, 0);
    if (!d)
        return;
    sn_draft_object(d, x->addr, size_of(x));
    sn_draft_site(d, trap->thread, op_of(&trap->touch), trap->where, trap->touch.addr,
                  size_of(&trap->touch), true, 0);
    sn_draft_site(d, t, op_of(x), where, x->addr, size_of(x), true, 0);
    sn_draft_commit(d);
}

void sn_tsvd_report(struct sn_thread *t, const struct sn_call *c, const struct sn_touch *touch,
                    const struct sn_trap *trap)
{
    uint32_t mine = sn_tsvd_of(t)->point, where = sn_tsvd_where(t, c);
    uint64_t hash = pair_hash(mine, trap->point);
    if (c)
        call_sites(t, where, touch, trap, hash);
    else
        memory_sites(t, where, touch, trap, hash);
    sn_pair_end(mine, trap->point, SN_PAIR_FOUND);
}

static void place(struct sn_tsvd_place *out, uint32_t point)
{
    const char *name = sn_point_name(point);
    size_t n = strlen(name);
    if (n >= sizeof out->name)
        n = sizeof out->name - 1;
    memset(out, 0, sizeof *out);
    memcpy(out->name, name, n);
    out->frame = sn_modules_frame(sn_points[point].pc);
}

void sn_tsvd_report_pair(uint32_t a, uint32_t b, enum sn_pair_state state)
{
    struct sn_tsvd_rec_pair r = {.kind = SN_TSVD_REC_PAIR, .state = state};
    if (!sn_modules_contain(sn_points[a].pc) || !sn_modules_contain(sn_points[b].pc))
        sn_modules_refresh();
    place(&r.a, a);
    place(&r.b, b);
    sn_sink_write(SN_REC_ENGINE, &r, sizeof r);
}

/* As it stands in the trap set: "libc env". */
void sn_tsvd_state_name(uint32_t object, char *name)
{
    const struct sn_contract_object *o = sn_contract_object(object);
    struct words w = {.n = 0};
    add(&w, text(sn_contract_library(o->library)->name));
    add(&w, " ");
    add(&w, text(o->name));
    memset(name, 0, SN_TSVD_NAME);
    memcpy(name, w.text, w.n < SN_TSVD_NAME ? w.n : SN_TSVD_NAME - 1);
}

void sn_tsvd_report_state(uint32_t object)
{
    struct sn_tsvd_rec_state r = {.kind = SN_TSVD_REC_STATE};
    sn_tsvd_state_name(object, r.name);
    sn_sink_write(SN_REC_ENGINE, &r, sizeof r);
}

void sn_tsvd_report_coverage(void)
{
    sn_modules_refresh();
    for (uint32_t i = 1; i < SN_MAX_SITES; i++) {
        const struct sn_point *p = &sn_points[i];
        if (!p->pc)
            continue;
        struct sn_tsvd_rec_point r = {.kind = SN_TSVD_REC_POINT,
                                      .concurrent = (p->flags & SN_SITE_CONCURRENT) != 0,
                                      .delays = (uint32_t)p->delays};
        place(&r.place, i);
        sn_sink_write(SN_REC_ENGINE, &r, sizeof r);
    }
}
