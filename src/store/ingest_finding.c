/*
 * ingest_finding.c: a raw finding, or a cycle of lock edges, as a struct sn_finding.
 */
#include "store/ingest_process.h"

#include <string.h>

#include "store/lockorder.h"
#include "store/utf8.h"
#include "store/xalloc.h"

static char *copy_text(const char *text, size_t bytes)
{
    return bytes ? sn_utf8_clean(text, bytes, true) : NULL;
}

static void fill_locks(struct sn_ingest_process *p, const struct sn_rec_lock *locks, unsigned n,
                       struct sn_site *s)
{
    s->locks_known = true;
    s->nlocks = n;
    s->locks = n ? sn_xcalloc(n, sizeof *s->locks) : NULL;
    for (unsigned i = 0; i < n; i++) {
        s->locks[i].name = sn_ingest_lock_name(p, &locks[i]);
        s->locks[i].shared = locks[i].shared != 0;
        sn_ingest_lock_stacks(p, &locks[i], &s->locks[i]);
    }
}

static void fill_site(struct sn_ingest_process *p, const struct sn_run_site *raw, struct sn_site *s)
{
    const struct sn_rec_site *h = raw->head;
    s->thread = h->thread;
    s->op = (enum sn_op)h->op;
    s->size = h->size;
    s->creator = h->creator_known ? (int64_t)h->creator : -1;
    char *name = copy_text(raw->name, h->name_bytes);
    if (s->op == SN_OP_CALL)
        s->call = name;
    else
        s->note = name;
    if (h->locks_known)
        fill_locks(p, raw->locks, h->nlocks, s);
    sn_ingest_stack(p, raw->frames, h->nframes, &s->stack);
    sn_ingest_stack(p, raw->created, h->ncreated, &s->created);
}

/* Somebody in the cycle holds it, so its record is there; else the address may name a global. */
static char *awaited_lock(struct sn_ingest_process *p, const struct sn_run_finding *raw,
                          uint64_t addr)
{
    for (unsigned i = 0; i < raw->head->nsites; i++) {
        const struct sn_run_site *s = &raw->site[i];
        for (unsigned k = 0; k < s->head->nlocks; k++) {
            if (s->locks[k].addr == addr)
                return sn_ingest_lock_name(p, &s->locks[k]);
        }
    }
    return sn_ingest_lock_at(p, addr);
}

static void fill_wanted(struct sn_ingest_process *p, const struct sn_run_finding *raw,
                        struct sn_finding *f)
{
    for (size_t i = 0; i < f->nsites; i++) {
        struct sn_site *s = &f->sites[i];
        if (s->op == SN_OP_LOCK && raw->site[i].head->addr)
            s->wants = awaited_lock(p, raw, raw->site[i].head->addr);
    }
}

void sn_ingest_finding(struct sn_ingest_process *p, const struct sn_run_finding *raw,
                       struct sn_finding *f)
{
    const struct sn_rec_finding *h = raw->head;
    f->kind = (enum sn_kind)h->kind;
    f->status = (enum sn_status)h->status;
    f->engine = sn_xstrdup(p->file->header.engine[0] ? p->file->header.engine : NULL);
    f->text = copy_text(raw->text, h->text_bytes);
    f->hits = 1;
    sn_ingest_object(p, raw, &f->object);
    f->nsites = h->nsites;
    f->sites = h->nsites ? sn_xcalloc(h->nsites, sizeof *f->sites) : NULL;
    for (unsigned i = 0; i < h->nsites; i++)
        fill_site(p, &raw->site[i], &f->sites[i]);
    if (f->kind == SN_KIND_DEADLOCK || f->kind == SN_KIND_LOCK_ORDER)
        fill_wanted(p, raw, f);
    sn_finding_finish(f);
}

/* Held before: the runtime may list the lock that is being taken, too. */
static unsigned held_before(const struct sn_run_edge *e, struct sn_rec_lock *held)
{
    unsigned n = 0;
    for (unsigned i = 0; i < e->head->ngates; i++) {
        if (e->gates[i].id != e->head->to.id)
            held[n++] = e->gates[i];
    }
    if (!n)
        held[n++] = e->head->from;
    return n;
}

static void fill_edge(struct sn_ingest_process *p, const struct sn_run_edge *e, struct sn_site *s)
{
    const struct sn_rec_lock_edge *h = e->head;
    struct sn_rec_lock *held = sn_xcalloc(h->ngates + 1u, sizeof *held);
    unsigned n = held_before(e, held);
    s->thread = h->thread;
    s->op = SN_OP_LOCK;
    s->creator = -1;
    fill_locks(p, held, n, s);
    for (unsigned i = 0; i < n; i++) {
        if (held[i].id == h->from.id && h->nfrom) {
            sn_stack_clear(&s->locks[i].taken);
            sn_ingest_stack(p, e->from, h->nfrom, &s->locks[i].taken);
        }
    }
    free(held);
    s->wants = sn_ingest_lock_name(p, &h->to);
    sn_ingest_stack(p, e->to, h->nto, &s->stack);
}

void sn_ingest_cycle(struct sn_ingest_process *p, const struct sn_lock_cycle *c,
                     struct sn_finding *f)
{
    f->kind = SN_KIND_LOCK_ORDER;
    f->status = SN_CANDIDATE;
    f->engine = sn_xstrdup(p->file->header.engine[0] ? p->file->header.engine : NULL);
    f->hits = 1;
    f->nsites = c->n;
    f->sites = sn_xcalloc(c->n, sizeof *f->sites);
    for (unsigned i = 0; i < c->n; i++)
        fill_edge(p, c->edge[i], &f->sites[i]);
    sn_finding_finish(f);
}
