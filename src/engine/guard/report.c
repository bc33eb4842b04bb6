/* report.c: a violated invariant becomes a finding, and a record by which it can be relaxed. */
#include "guard.h"

#include "core/ctx.h"
#include "core/ctx_cache.h"
#include "record.h"
#include "runtime/draft.h"
#include "runtime/modules.h"
#include "runtime/sink.h"

static enum sn_op op_of(const struct sn_guard_site *s)
{
    static const enum sn_op ops[] = {SN_OP_READ, SN_OP_WRITE, SN_OP_ATOMIC, SN_OP_FREE};
    return s ? ops[s->how & 3] : SN_OP_WRITE;
}

/* A site without its calling context: only its place is known. */
static void past_site(struct sn_draft *d, uint32_t id, uint32_t thread, uintptr_t addr,
                      unsigned size)
{
    struct sn_guard_site *s = sn_site_by_id(id);
    uintptr_t pc = s ? s->pc : sn_inv_address(id);
    if (pc)
        sn_draft_past_site(d, thread, op_of(s), sn_ctx_leaf(0, pc), addr, size, 0, 0);
}

/* What it should have waited for: a member of the set that is not nil. */
static uint32_t expected(const struct sn_guard_site *s)
{
    for (uint32_t i = 0; i < s->nset; i++)
        if (s->set[i])
            return s->set[i];
    return 0;
}

static const char *words(uint32_t pred, bool resolved)
{
    if (sn_guard.mode == SN_MODE_EXPOSE)
        return pred ? "an order that was never seen in a correct run was brought about"
                    : "it came before what always came first in correct runs";
    if (!pred)
        return resolved ? "it came too early; stalled until the other had come"
                        : "it came too early; the stall ended before the other came";
    return resolved ? "it came between accesses that belong together; stalled until they were done"
                    : "it came between accesses that belong together; the stall ended too soon";
}

static void tell_record(const struct sn_guard_site *s, uint32_t pred, bool resolved, uint32_t ms)
{
    struct sn_guard_site *p = sn_site_by_id(pred);
    uintptr_t pc = !pred ? 0 : p ? p->pc : sn_inv_address(pred);
    struct sn_guard_rec_violation r = {
        .kind = SN_GUARD_REC_VIOLATION,
        .resolved = resolved,
        .ms = ms,
        .site = sn_modules_frame(s->pc),
        .pred = pc ? sn_modules_frame(pc) : 0,
    };
    sn_sink_write(SN_REC_ENGINE, &r, sizeof r);
}

void sn_report_violation(struct sn_thread *t, const struct sn_guard_late *v, bool resolved)
{
    struct sn_guard_site *s = v->site;
    uint64_t key = (uint64_t)s->id << 32 | (uint64_t)v->pred << 1 | resolved;
    enum sn_kind kind = v->pred ? SN_KIND_ATOMICITY : SN_KIND_ORDER;
    struct sn_draft *d =
        sn_draft_begin(kind, SN_OBSERVED, key * 0x9e3779b97f4a7c15ull, words(v->pred, resolved));
    if (!d)
        return;
    sn_draft_object(d, v->addr, v->size);
    sn_draft_past_site(d, t->number, op_of(s), v->where, v->addr, v->size, v->held, (int)v->nheld);
    past_site(d, v->pred ? v->pred : expected(s), v->pred ? v->pred_thread : UINT32_MAX, v->addr,
              v->size);
    sn_draft_commit(d);
    tell_record(s, v->pred, resolved, v->ms);
}

SN_NOINLINE void sn_report_flush(struct sn_thread *t)
{
    struct sn_guard_late v = sn_guard_of(t)->late;
    sn_guard_of(t)->late.site = 0;
    sn_report_violation(t, &v, true);
}
