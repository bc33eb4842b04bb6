/*
 * draft.c: findings are put together in one buffer and written as one record. The buffer's lock is
 * held for some microseconds, a few times in a program's life.
 */
#include "draft.h"

#include <string.h>

#include "core/count.h"
#include "core/ctx.h"
#include "core/options.h"
#include "core/spin.h"
#include "core/sys.h"
#include "runtime/draft_place.h"
#include "runtime/modules.h"
#include "runtime/sink.h"

enum { CAPACITY = 256 << 10, SEEN_BITS = 14, MAX_SITES = 64 };

struct sn_draft {
    uint32_t lock;
    uint32_t bytes;
    uint32_t overflow;
    uint64_t data[CAPACITY / 8];
};

static struct sn_draft draft SN_LARGE;
static uint64_t seen[1u << SEEN_BITS] SN_LARGE; /* hashes of what was written; under draft.lock */
static uint64_t written;

static struct sn_rec_finding *head(struct sn_draft *d)
{
    return (struct sn_rec_finding *)d->data;
}

/* Room for n bytes, padded to 8 and zeroed; null: the finding is larger than any sane one. */
static void *take(struct sn_draft *d, size_t n)
{
    n = (n + 7) & ~(size_t)7;
    if (d->bytes + n > CAPACITY) {
        d->overflow = 1;
        return 0;
    }
    void *p = (char *)d->data + d->bytes;
    memset(p, 0, n);
    d->bytes += (uint32_t)n;
    return p;
}

static uint16_t put_text(struct sn_draft *d, const char *s)
{
    size_t n = s ? strlen(s) : 0;
    if (n > 4000)
        n = 4000;
    void *p = n ? take(d, n) : 0;
    if (!p)
        return 0;
    memcpy(p, s, n);
    return (uint16_t)n;
}

static uint16_t put_stack(struct sn_draft *d, uint32_t where)
{
    uintptr_t pcs[SN_MAX_STACK];
    unsigned n = sn_ctx_stack(where, pcs, SN_MAX_STACK);
    sn_frame_ref *out = n ? take(d, n * sizeof *out) : 0;
    if (!out)
        return 0;
    for (unsigned i = 0; i < n; i++)
        out[i] = sn_modules_frame(pcs[i]);
    return (uint16_t)n;
}

/* 1: seen before. When the table is full new findings still pass: the command unites them. */
static int seen_before(uint64_t hash)
{
    hash *= 0x9e3779b97f4a7c15ull; /* keys may differ in one low bit only */
    hash = (hash ^ hash >> 32) | 1;
    for (unsigned i = 0; i < 32; i++) {
        uint64_t *e = &seen[(hash + i) & ((1u << SEEN_BITS) - 1)];
        if (*e == hash)
            return 1;
        if (!*e) {
            *e = hash;
            return 0;
        }
    }
    return 0;
}

static struct sn_draft *open_draft(void)
{
    sn_modules_refresh();
    sn_spin_lock(&draft.lock);
    draft.bytes = 0;
    draft.overflow = 0;
    return &draft;
}

struct sn_draft *sn_draft_begin(enum sn_kind kind, enum sn_status status, uint64_t dedupe,
                                const char *text)
{
    struct sn_draft *d = open_draft();
    if (seen_before(dedupe + kind * 0x632be59bd9b4e019ull) ||
        written >= (uint64_t)sn_opt.report_limit) {
        sn_spin_unlock(&d->lock);
        return 0;
    }
    written++;
    struct sn_rec_finding *f = take(d, sizeof *f);
    f->kind = (uint8_t)kind;
    f->status = (uint8_t)status;
    f->text_bytes = put_text(d, text);
    return d;
}

void sn_draft_object(struct sn_draft *d, uintptr_t addr, size_t size)
{
    struct sn_rec_finding *f = head(d);
    struct sn_draft_place p;
    sn_draft_locate(addr, &p);
    f->access_addr = addr;
    f->object_kind = (uint8_t)p.kind;
    f->obj_ref = p.ref;
    f->obj_rsp = p.rsp;
    f->obj_rbp = p.rbp;
    f->obj_thread = p.thread;
    f->obj_addr = addr;
    f->obj_size = size;
    if (p.kind == SN_OBJ_HEAP) {
        f->obj_addr = p.block.start;
        f->obj_size = p.block.size;
        f->obj_freed = p.block.freed;
        f->obj_nframes = put_stack(d, p.block.where);
    }
}

void sn_draft_named_object(struct sn_draft *d, enum sn_object_kind kind, uintptr_t addr,
                           const char *name)
{
    struct sn_rec_finding *f = head(d);
    f->object_kind = (uint8_t)kind;
    f->obj_addr = f->access_addr = addr;
    if (!f->text_bytes)
        f->text_bytes = put_text(d, name);
}

static uint16_t put_locks(struct sn_draft *d, const struct sn_held *held, uint32_t n)
{
    struct sn_rec_lock *out = n ? take(d, n * sizeof *out) : 0;
    if (!out)
        return 0;
    for (uint32_t i = 0; i < n; i++)
        out[i] = sn_draft_lock_ref(held[i].lock, held[i].id, held[i].where, (int)held[i].shared);
    return (uint16_t)n;
}

/* The owner of a stack variable was last seen at one of the sites: if its innermost function has no
 * other known position, that is one in it. */
static void place_local(struct sn_draft *d, uint32_t number, struct sn_thread *t, uint32_t where)
{
    struct sn_rec_finding *f = head(d);
    if (f->object_kind != SN_OBJ_STACK || f->obj_thread != number || !t || t->sp == t->frames)
        return;
    if (f->obj_rsp == t->sp[-1].rsp && sn_ctx_parent(where) == t->sp[-1].ctx)
        f->obj_ref = sn_modules_frame(sn_ctx_pc(where));
}

static void put_site(struct sn_draft *d, uint32_t number, struct sn_thread *t, enum sn_op op,
                     uint32_t where, uintptr_t addr, uint32_t size, const struct sn_held *locks,
                     int nlocks, const char *name)
{
    struct sn_rec_site *s = head(d)->nsites < MAX_SITES ? take(d, sizeof *s) : 0;
    if (!s)
        return;
    head(d)->nsites++;
    place_local(d, number, t, where);
    s->thread = number;
    s->size = size;
    s->addr = addr;
    s->op = (uint8_t)op;
    s->locks_known = locks != 0 || nlocks == 0;
    s->name_bytes = put_text(d, name);
    s->nlocks =
        nlocks > 0 && locks ? put_locks(d, locks, (uint32_t)(nlocks < 64 ? nlocks : 64)) : 0;
    s->nframes = put_stack(d, where);
    if (t && number) {
        s->ncreated = put_stack(d, t->create_where);
        s->creator = t->parent;
        s->creator_known = 1;
    }
}

void sn_draft_site(struct sn_draft *d, struct sn_thread *t, enum sn_op op, uint32_t where,
                   uintptr_t addr, uint32_t size, bool held, const char *name)
{
    put_site(d, t->number, t, op, where, addr, size, held ? t->held : 0, held ? (int)t->nheld : 0,
             name);
}

void sn_draft_past_site(struct sn_draft *d, uint32_t thread, enum sn_op op, uint32_t where,
                        uintptr_t addr, uint32_t size, const struct sn_held *locks, int nlocks)
{
    put_site(d, thread, sn_thread_by_number(thread), op, where, addr, size, locks,
             locks ? nlocks : -1, 0);
}

void sn_draft_commit(struct sn_draft *d)
{
    if (d->overflow)
        sn_count(LOST_SINK);
    else if (sn_sink_write(SN_REC_FINDING, d->data, d->bytes) == 0)
        sn_count(FINDINGS);
    sn_spin_unlock(&d->lock);
}

void sn_draft_lock_edge(struct sn_thread *t, const struct sn_held *held, struct sn_sync *to,
                        uint32_t where, unsigned flags, bool shared, uint32_t slot, uint32_t epoch,
                        const uint32_t *clock, uint32_t n)
{
    struct sn_draft *d = open_draft();
    struct sn_rec_lock_edge *e = take(d, sizeof *e);
    e->from = sn_draft_lock_ref(held->lock, held->id, held->where, (int)held->shared);
    e->to = sn_draft_lock_ref(to, to->id, where, shared);
    e->thread = t->number;
    e->slot = slot;
    e->epoch = epoch;
    e->try_lock = (flags & SN_EF_TRY) != 0;
    e->ngates = put_locks(d, t->held, t->nheld < 64 ? t->nheld : 64);
    e->nfrom = put_stack(d, held->where);
    e->nto = put_stack(d, where);
    uint32_t *c = clock && n <= 4096 ? take(d, n * sizeof *c) : 0;
    if (c) {
        memcpy(c, clock, n * sizeof *c);
        e->nclock = (uint16_t)n;
    }
    if (!d->overflow)
        sn_sink_write(SN_REC_LOCK_EDGE, d->data, d->bytes);
    sn_spin_unlock(&d->lock);
}

void sn_draft_forked(void)
{
    draft.lock = 0;
    sn_draft_locks_forked();
}
