/*
 * findings.c: predictions as findings that people read: source positions by the trace's tables and
 * the symboliser, names for memory and locks, the witness as a timeline.
 */
#include "predict/predict.h"

#include <inttypes.h>
#include <string.h>

#include "store/xalloc.h"
#include "symbol/symbol.h"

struct teller {
    const struct sn_trace *t;
    struct sn_symboliser *symbols;
    unsigned *module; /* the trace's module -> the symboliser's; UINT32_MAX: not opened */
};

static struct teller begin(const struct sn_trace *t)
{
    struct teller k = {t, sn_symboliser_new(), sn_xcalloc(sn_trace_modules(t), sizeof *k.module)};
    for (uint32_t i = 0; i < sn_trace_modules(t); i++) {
        const struct sn_trace_module *m = sn_trace_module(t, i);
        if (sn_symbol_module(k.symbols, m->path, m->build_id, m->build_id_bytes, &k.module[i]) < 0)
            k.module[i] = UINT32_MAX;
    }
    return k;
}

static void end(struct teller *k)
{
    sn_symboliser_free(k->symbols);
    free(k->module);
}

/* Code positions. */

static struct sn_frame *add_frame(struct sn_stack *s)
{
    s->frame = sn_xrealloc(s->frame, s->n + 1, sizeof *s->frame);
    memset(&s->frame[s->n], 0, sizeof *s->frame);
    return &s->frame[s->n++];
}

/* "function(file:line)", "file:line", or whatever it is. */
static void frame_of_text(const char *where, struct sn_frame *f)
{
    const char *open = strchr(where, '('), *start = open ? open + 1 : where;
    const char *colon = strrchr(start, ':');
    if (open)
        f->function = sn_xstrndup(where, (size_t)(open - where));
    if (colon && colon[1] >= '0' && colon[1] <= '9') {
        f->file = sn_xstrndup(start, (size_t)(colon - start));
        f->line = atoi(colon + 1);
    } else if (!open) {
        f->function = sn_xstrdup(where);
    }
}

static void add_position(struct teller *k, const struct sn_trace_site *s, struct sn_stack *out)
{
    const struct sn_trace_module *m = sn_trace_module(k->t, s->module);
    if (s->where || !m) {
        frame_of_text(s->where ? s->where : "unknown", add_frame(out));
    } else if (k->module[s->module] != UINT32_MAX) {
        sn_symbol_code(k->symbols, k->module[s->module], s->offset, true, out);
    } else {
        struct sn_frame *f = add_frame(out);
        const char *slash = strrchr(m->path, '/');
        f->module = sn_xstrdup(slash ? slash + 1 : m->path);
        f->offset = s->offset;
    }
}

static void stack_of(struct teller *k, uint32_t site, struct sn_stack *out)
{
    const struct sn_trace_site *s;
    for (int depth = 0; depth < 64 && (s = sn_trace_site(k->t, site)); depth++) {
        add_position(k, s, out);
        site = s->parent;
    }
}

/* Memory. */

static bool data_of(struct teller *k, uint64_t addr, struct sn_object *o)
{
    for (uint32_t i = 0; i < sn_trace_modules(k->t); i++) {
        const struct sn_trace_module *m = sn_trace_module(k->t, i);
        if (addr - m->start < m->end - m->start && k->module[i] != UINT32_MAX)
            return sn_symbol_data(k->symbols, k->module[i], addr - m->base, o) == 0;
    }
    return false;
}

static void object_of(struct teller *k, uint64_t addr, struct sn_object *o)
{
    const struct sn_trace_name *n = sn_trace_name_at(k->t, addr);
    if (data_of(k, addr, o)) {
        o->kind = SN_OBJ_GLOBAL;
    } else if (n) {
        o->kind = SN_OBJ_GLOBAL;
        o->name = sn_xstrdup(n->name);
        o->offset = addr - n->addr;
        o->has_offset = true;
    }
}

/* "m", "table+16"; null: no name. */
static char *name_of(struct teller *k, uint64_t addr)
{
    struct sn_object o = {0};
    char *name = NULL;
    object_of(k, addr, &o);
    if (o.name)
        name = o.has_offset && o.offset ? sn_xformat("%s+%" PRIu64, o.name, o.offset)
                                        : sn_xstrdup(o.name);
    sn_object_clear(&o);
    return name;
}

/* The events that meet. */

static enum sn_op op_of(const struct sn_told *e)
{
    switch (e->op) {
    case SN_EV_READ:
        return SN_OP_READ;
    case SN_EV_WRITE:
        return SN_OP_WRITE;
    case SN_EV_FREE:
        return SN_OP_FREE;
    case SN_EV_LOCK:
    case SN_EV_RDLOCK:
        return SN_OP_LOCK;
    default:
        return SN_OP_ATOMIC;
    }
}

static void fill_locks(struct teller *k, const struct sn_predicted *p, uint32_t who,
                       struct sn_site *s)
{
    s->locks_known = true;
    s->locks = sn_xcalloc(p->nlocks, sizeof *s->locks);
    for (uint32_t i = 0; i < p->nlocks; i++) {
        if (p->lock[i].who != who)
            continue;
        struct sn_held_lock *l = &s->locks[s->nlocks++];
        l->name = name_of(k, p->lock[i].addr);
        l->shared = p->lock[i].shared;
        stack_of(k, p->lock[i].site, &l->taken);
    }
}

static void fill_site(struct teller *k, const struct sn_predicted *p, uint32_t who,
                      struct sn_site *s)
{
    const struct sn_told *e = &p->meet[who];
    s->thread = e->thread;
    s->creator = -1;
    s->op = op_of(e);
    s->size = p->deadlock ? 0 : e->size;
    if (p->deadlock)
        s->wants = name_of(k, e->addr);
    stack_of(k, e->site, &s->stack);
    fill_locks(k, p, who, s);
}

/* The witness. */

/* `about`: it is about to happen, what it reads is not known. */
static char *what_of(struct teller *k, const struct sn_told *e, bool about)
{
    char *name = e->addr ? name_of(k, e->addr) : NULL, *what;
    const char *op = sn_event_name((enum sn_event_op)e->op);
    if (e->op == SN_EV_CREATE || e->op == SN_EV_JOIN)
        what = sn_xformat("%s thread %" PRIu64, op, e->value);
    else if (e->op == SN_EV_LEAVE_CODE)
        what = sn_xstrdup("call of code that is not recorded");
    else if (e->op == SN_EV_ENTER_CODE)
        what = sn_xstrdup("back from code that is not recorded");
    else if (e->op == SN_EV_START || e->op == SN_EV_END)
        what = sn_xformat("thread %ss", op);
    else if (sn_trace_is_access(e->op) && e->has_value && !about)
        what = sn_xformat("%s %s = %" PRId64, op, name ? name : "memory", (int64_t)e->value);
    else
        what = name ? sn_xformat("%s %s", op, name) : sn_xstrdup(op);
    free(name);
    return what;
}

static void fill_steps(struct teller *k, const struct sn_predicted *p, struct sn_finding *f)
{
    f->nsteps = p->nsteps;
    f->steps = p->nsteps ? sn_xcalloc(p->nsteps, sizeof *f->steps) : NULL;
    for (uint32_t i = 0; i < p->nsteps; i++) {
        struct sn_stack stack = {0};
        bool meets = i + p->nmeet >= p->nsteps;
        char *what = what_of(k, &p->step[i], meets);
        f->steps[i].thread = p->step[i].thread;
        f->steps[i].what = meets ? sn_xformat("→ %s", what) : sn_xstrdup(what);
        free(what);
        stack_of(k, p->step[i].site, &stack);
        const struct sn_frame *at = sn_stack_frame(&stack);
        if (at)
            sn_frame_copy(&f->steps[i].at, at);
        sn_stack_clear(&stack);
    }
}

static enum sn_status status_of(const struct sn_predict_result *r, const struct sn_predicted *p)
{
    /* Who did not look at BarrierPairs may be wrong about a trace that has some. */
    if (r->stats.unseen_pairs)
        return SN_CANDIDATE;
    return p->means == SN_BY_CLOCKS && r->algorithm == SN_HB ? SN_OBSERVED : SN_PREDICTED;
}

void sn_predict_findings(const struct sn_predict_result *r, const struct sn_trace *t,
                         struct sn_findings *out)
{
    struct teller k = begin(t);
    for (size_t i = 0; i < r->n; i++) {
        const struct sn_predicted *p = &r->p[i];
        struct sn_finding *f = sn_findings_add(out);
        f->kind = p->deadlock ? SN_KIND_DEADLOCK : SN_KIND_DATA_RACE;
        f->status = status_of(r, p);
        f->engine = sn_xstrdup("predict");
        f->hits = 1;
        if (!p->deadlock)
            object_of(&k, p->addr, &f->object);
        f->nsites = p->nmeet;
        f->sites = sn_xcalloc(p->nmeet, sizeof *f->sites);
        for (uint32_t s = 0; s < p->nmeet; s++)
            fill_site(&k, p, s, &f->sites[s]);
        fill_steps(&k, p, f);
        sn_finding_finish(f);
    }
    end(&k);
}
