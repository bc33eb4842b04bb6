/*
 * finding.c: turns numbers into names: call stacks from contexts, source positions, objects, and who
 * created which thread. `predicted` is what was reached without anything uninterpreted having
 * decided; the rest is `candidate`.
 */
#include "check/finding.h"

#include "store/source_path.h"
#include "store/xalloc.h"
#include "symbol/demangle.h"

struct naming {
    const struct sn_bytecode *code;
    const struct sn_contexts *contexts;
};

static char *name_or_null(const struct sn_bytecode *c, uint32_t s)
{
    return s == SN_NONE ? NULL : sn_xstrdup(sn_bytecode_string(c, s));
}

/* "main.omp_outlined" is a part of main that clang has made a function of. */
static char *function_or_null(const struct sn_bytecode *c, uint32_t s)
{
    const char *name = s == SN_NONE ? NULL : sn_bytecode_string(c, s);
    const char *part = name ? strstr(name, ".omp_outlined") : NULL;
    if (name == NULL)
        return NULL;
    char *plain = sn_xstrndup(name, part && part > name ? (size_t)(part - name) : strlen(name));
    char *readable = sn_demangle(plain);
    free(plain);
    return readable;
}

static struct sn_frame *add_frame(struct sn_stack *s)
{
    s->frame = sn_xrealloc(s->frame, s->n + 1, sizeof *s->frame);
    s->frame[s->n] = (struct sn_frame){0};
    return &s->frame[s->n++];
}

/* The frames of one instruction: it and what it was inlined into. */
static void add_place(const struct naming *n, struct sn_stack *s, uint32_t pc)
{
    uint32_t p = pc < n->code->ninsn ? n->code->pos[pc] : SN_NONE;
    if (p == SN_NONE) {
        uint32_t f = sn_bytecode_func_of(n->code, pc);
        if (f != SN_NONE)
            add_frame(s)->function = function_or_null(n->code, n->code->func[f].name);
        return;
    }
    for (; p != SN_NONE; p = n->code->positions[p].inlined_at) {
        const struct sn_pos *pos = &n->code->positions[p];
        struct sn_frame *f = add_frame(s);
        f->function = function_or_null(n->code, pos->function);
        f->file = sn_source_fold(name_or_null(n->code, pos->file));
        f->line = (int)pos->line;
        f->column = (int)pos->column;
        f->inlined = pos->inlined_at != SN_NONE;
    }
}

#define FRAMES_MAX 64

static void set_stack(const struct naming *n, struct sn_stack *s, uint32_t pc, uint32_t ctx)
{
    add_place(n, s, pc);
    while (ctx != 0 && ctx < n->contexts->n && s->n < FRAMES_MAX) {
        add_place(n, s, n->contexts->node[ctx].pc);
        ctx = n->contexts->node[ctx].parent;
    }
}

static void set_locks(const struct naming *n, struct sn_site *to, const struct sn_issue_site *from)
{
    to->locks_known = from->locks_known;
    to->nlocks = from->nlocks;
    to->locks = from->nlocks ? sn_xcalloc(from->nlocks, sizeof *to->locks) : NULL;
    for (uint32_t k = 0; k < from->nlocks; k++) {
        to->locks[k].name = sn_xstrdup(from->lock[k].name);
        to->locks[k].shared = from->lock[k].shared;
        set_stack(n, &to->locks[k].taken, from->lock[k].pc, from->lock[k].ctx);
    }
}

/* The creation stack of the thread, and of the thread that created it, and so on. */
static void set_ancestry(const struct naming *n, struct sn_site *to, const struct sn_issue_site *from)
{
    to->creator = -1;
    for (uint32_t k = 0; k < from->nmade; k++)
        if (from->made[k].pc != SN_NONE)
            set_stack(n, &to->created, from->made[k].pc, from->made[k].ctx);
    if (from->nmade > 0)
        to->creator = from->made[0].task;
}

static void set_site(const struct naming *n, struct sn_site *to, const struct sn_issue_site *from)
{
    to->thread = from->task;
    to->op = from->op;
    to->call = sn_xstrdup(from->call);
    to->note = sn_xstrdup(from->note);
    to->wants = sn_xstrdup(from->wants);
    to->size = from->bytes;
    set_locks(n, to, from);
    set_stack(n, &to->stack, from->pc, from->ctx);
    set_ancestry(n, to, from);
}

static void set_object(const struct naming *n, struct sn_object *to, const struct sn_issue_object *from)
{
    to->kind = from->kind;
    if (from->kind == SN_OBJ_UNKNOWN)
        return;
    to->name = sn_xstrdup(from->name);
    to->size = from->bytes;
    to->offset = from->offset;
    to->has_offset = true;
    to->file = sn_source_fold(name_or_null(n->code, from->file));
    to->line = (int)from->line;
    to->freed = from->freed;
    if (from->has_alloc)
        set_stack(n, &to->alloc, from->alloc.pc, from->alloc.ctx);
}

/* Why a candidate is no more than that. */
static char *doubt(const struct naming *n, const struct sn_issue *from)
{
    uint32_t p = from->vague_pc < n->code->ninsn ? n->code->pos[from->vague_pc] : SN_NONE;
    if (p == SN_NONE)
        return sn_xstrdup("rests on unknown values: it begins in the middle of the program");
    const struct sn_pos *pos = &n->code->positions[p];
    const char *file = sn_bytecode_string(n->code, pos->file), *base = strrchr(file, '/');
    if (from->by_input)
        return sn_xformat("needs an input that decides first at %s:%u", base ? base + 1 : file, pos->line);
    return sn_xformat("rests on an unknown value that matters first at %s:%u", base ? base + 1 : file, pos->line);
}

static void set_steps(const struct naming *n, struct sn_finding *to, const struct sn_issue *from)
{
    to->steps = from->nstep ? sn_xcalloc(from->nstep, sizeof *to->steps) : NULL;
    for (uint32_t k = 0; k < from->nstep; k++) {
        const struct sn_issue_step *s = &from->step[k];
        struct sn_stack place = {0};
        struct sn_step *step = &to->steps[to->nsteps++];
        step->thread = s->task;
        step->what = sn_xstrdup(s->what);
        add_place(n, &place, s->pc);
        if (sn_stack_frame(&place) != NULL)
            sn_frame_copy(&step->at, sn_stack_frame(&place));
        sn_stack_clear(&place);
    }
}

static void set_finding(const struct naming *n, struct sn_finding *to, const struct sn_issue *from)
{
    to->kind = from->kind;
    to->status = from->exact ? SN_PREDICTED : SN_CANDIDATE;
    to->engine = sn_xstrdup("check");
    to->text = from->text || from->exact ? sn_xstrdup(from->text) : doubt(n, from);
    to->hits = (int64_t)from->hits;
    set_object(n, &to->object, &from->object);
    to->nsites = from->nsite;
    to->sites = sn_xcalloc(from->nsite, sizeof *to->sites);
    for (uint32_t k = 0; k < from->nsite; k++)
        set_site(n, &to->sites[k], &from->site[k]);
    set_steps(n, to, from);
    sn_finding_finish(to);
}

void sn_issues_to_findings(const struct sn_issues *issues, const struct sn_bytecode *code,
                           const struct sn_contexts *contexts, struct sn_findings *out)
{
    const struct naming n = {code, contexts};
    for (size_t i = 0; i < issues->n; i++)
        set_finding(&n, sn_findings_add(out), &issues->issue[i]);
    sn_findings_unite(out);
}
