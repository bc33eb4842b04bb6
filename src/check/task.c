/*
 * task.c: simulated threads: their frames, registers and stack memory. A task's buffers are kept for
 * the next run, so that short runs cost little.
 */
#include <stdlib.h>
#include <string.h>

#include "check/history.h"
#include "check/lib.h"

#define DEPTH_MAX 20000u        /* frames: beyond, the run ends */
#define REGISTERS_MAX (4u << 20) /* of one task: 64 MB */
#define SEGMENT_BYTES 1024u
#define THREAD_STEPS 200u        /* what a thread costs to set up and to clear away */

static void *must(void *p)
{
    if (p == NULL)
        abort();
    return p;
}

static struct sn_task *fresh(struct sn_vm *vm)
{
    if (vm->ntask < vm->ntask_made) {
        struct sn_task *t = vm->task[vm->ntask], old = *t;
        memset(t, 0, sizeof *t);
        t->act = old.act;
        t->cap_act = old.cap_act;
        t->reg = old.reg;
        t->cap_reg = old.cap_reg;
        t->kont = old.kont;
        t->cap_kont = old.cap_kont;
        t->segment = old.segment;
        t->cap_segment = old.cap_segment;
        return t;
    }
    if (vm->ntask == vm->cap_task) {
        vm->cap_task = vm->cap_task ? vm->cap_task * 2 : 16;
        vm->task = must(realloc(vm->task, vm->cap_task * sizeof *vm->task));
    }
    vm->ntask_made++;
    return vm->task[vm->ntask] = must(calloc(1, sizeof(struct sn_task)));
}

struct sn_place_of sn_task_place(const struct sn_task *t)
{
    return (struct sn_place_of){t->pc, t->ctx, (int32_t)t->id};
}

void sn_task_tick(struct sn_vm *vm, struct sn_task *t)
{
    uint32_t time = t->epoch & SN_EPOCH_TIME;
    if (time == SN_EPOCH_TIME)
        return; /* a run has fewer steps than a task has epochs, unless somebody asked for it */
    t->epoch++;
    sn_vclock_set(&vm->arena, &t->clock, t->id, time + 1);
}

static void become_ready(struct sn_vm *vm, struct sn_task *t)
{
    if (vm->nready == vm->cap_ready) {
        vm->cap_ready = vm->cap_ready ? vm->cap_ready * 2 : 64;
        vm->ready = must(realloc(vm->ready, vm->cap_ready * sizeof *vm->ready));
    }
    t->state = SN_READY;
    t->ready_at = (uint32_t)vm->nready;
    vm->ready[vm->nready++] = t->id;
}

static void leave_ready(struct sn_vm *vm, struct sn_task *t)
{
    uint32_t last = vm->ready[--vm->nready];
    vm->ready[t->ready_at] = last;
    vm->task[last]->ready_at = t->ready_at;
}

/* A task without any frame yet. */
static struct sn_task *bare_task(struct sn_vm *vm, struct sn_task *parent)
{
    if (vm->ntask >= SN_TASKS_MAX) {
        sn_bound_reached(vm, "too many threads");
        return NULL;
    }
    struct sn_task *t = fresh(vm);
    t->id = (uint32_t)vm->ntask++;
    t->made = parent ? sn_task_place(parent) : (struct sn_place_of){SN_NONE, 0, -1};
    t->epoch = SN_EPOCH(t->id, 1);
    if (parent != NULL)
        sn_vclock_copy(&vm->arena, &t->clock, &parent->clock);
    sn_vclock_set(&vm->arena, &t->clock, t->id, 1);
    if (parent != NULL)
        sn_task_tick(vm, parent);
    t->blocked_signals = parent ? parent->blocked_signals : 0;
    become_ready(vm, t);
    sn_charge(vm, parent ? THREAD_STEPS : 0);
    vm->live++;
    vm->concurrent = vm->ntask > 1;
    vm->was_concurrent |= vm->concurrent;
    return t;
}

struct sn_task *sn_task_native(struct sn_vm *vm, struct sn_task *parent, sn_step_fn *step, const char *role)
{
    struct sn_task *t = bare_task(vm, parent);
    if (t == NULL)
        return NULL;
    sn_push_continuation(t, step, SN_NONE);
    t->role = role;
    t->daemon = true;
    vm->live--;
    return t;
}

struct sn_task *sn_task_new(struct sn_vm *vm, struct sn_task *parent, uint32_t func,
                            const struct sn_reg *args, unsigned nargs)
{
    struct sn_task *t = bare_task(vm, parent);
    if (t == NULL || !sn_task_push(vm, t, func, 0, SN_NONE))
        return NULL;
    t->act[0].callback = true;
    uint32_t nparams = vm->code->func[func].nparams;
    for (unsigned k = 0; k < nparams; k++)
        t->reg[k] = k < nargs ? args[k] : (struct sn_reg){0, SN_UNKNOWN};
    return t;
}

void sn_task_exit(struct sn_vm *vm, struct sn_task *t)
{
    if (t->state == SN_READY)
        leave_ready(vm, t);
    t->state = SN_EXITED;
    t->wait = SN_WAIT_NONE;
    vm->live -= !t->daemon;
    for (size_t i = 0; i < vm->ntask; i++) {
        struct sn_task *w = vm->task[i];
        if (w->state == SN_BLOCKED && w->wait == SN_WAIT_JOIN && w->wait_task == t->id)
            sn_task_wake(vm, w);
    }
}

void sn_task_block(struct sn_vm *vm, struct sn_task *t, enum sn_wait wait, struct sn_vsync *sync, uint32_t task)
{
    if (t->state == SN_READY)
        leave_ready(vm, t);
    t->state = SN_BLOCKED;
    t->wait = wait;
    t->wait_sync = sync;
    t->wait_task = task;
}

void sn_task_wake(struct sn_vm *vm, struct sn_task *t)
{
    if (t->state == SN_BLOCKED)
        become_ready(vm, t);
    t->wait = SN_WAIT_NONE;
    t->wait_sync = NULL;
}

static bool reserve_registers(struct sn_task *t, size_t n)
{
    if (n <= t->cap_reg)
        return true;
    if (n > REGISTERS_MAX)
        return false;
    size_t cap = t->cap_reg ? t->cap_reg : 256;
    while (cap < n)
        cap *= 2;
    t->reg = must(realloc(t->reg, cap * sizeof *t->reg));
    t->cap_reg = cap;
    return true;
}

static bool too_deep(struct sn_vm *vm)
{
    sn_bound_reached(vm, "recursion too deep");
    return false;
}

/* Variables are addressable and uninterpreted at first; between them lie gaps. */
static void open_locals(struct sn_vm *vm, const struct sn_func *f, uint32_t mem)
{
    for (uint32_t k = 0; k < f->nlocal; k++) {
        const struct sn_local *l = &vm->code->local[f->local_first + k];
        memset(sn_tag(&vm->mem, mem + l->offset), SN_UNINIT, l->bytes);
    }
}

bool sn_task_push(struct sn_vm *vm, struct sn_task *t, uint32_t func, uint32_t base, uint32_t call_pc)
{
    const struct sn_func *f = &vm->code->func[func];
    if (t->nact >= DEPTH_MAX || !reserve_registers(t, (size_t)base + f->nregs + f->out_max + 16))
        return too_deep(vm);
    if (t->nact == t->cap_act) {
        t->cap_act = t->cap_act ? t->cap_act * 2 : 16;
        t->act = must(realloc(t->act, t->cap_act * sizeof *t->act));
    }
    struct sn_activation *a = &t->act[t->nact++];
    *a = (struct sn_activation){.func = func, .base = base, .va = t->va_next};
    a->segment = t->seg_now;
    a->sp = t->sp;
    t->va_next = 0;
    if (t->nact > 1) {
        a[-1].pc = call_pc;
        t->ctx = sn_context_child(&vm->contexts, t->ctx, call_pc);
    }
    a->ctx = t->ctx;
    if (f->nconst > 0)
        memcpy(t->reg + base + f->const_base, vm->code->literal + f->const_first, f->nconst * sizeof *t->reg);
    if (f->frame_bytes > 0) {
        a->mem = sn_stack_take(vm, t, f->frame_bytes + 16, f->frame_align);
        if (a->mem == 0)
            return too_deep(vm);
        open_locals(vm, f, a->mem);
    }
    vm->reached[func] = 1;
    if (f->atomic)
        sn_atomic_begin(vm, t);
    t->pc = f->entry;
    return true;
}

void sn_task_pop(struct sn_vm *vm, struct sn_task *t)
{
    struct sn_activation *a = &t->act[--t->nact];
    if (vm->code->func[a->func].atomic)
        sn_atomic_end(vm, t);
    if (vm->concurrent && a->mem != 0)
        sn_vhistory_dead(vm, t, a->mem, vm->code->func[a->func].frame_bytes);
    if (t->seg_now != a->segment || t->sp != a->sp)
        sn_stack_drop(vm, t, a->segment, a->sp);
    if (t->nact > 0) {
        t->pc = a[-1].pc;
        t->ctx = a[-1].ctx;
    }
}

static bool next_segment(struct sn_vm *vm, struct sn_task *t, uint64_t bytes)
{
    size_t want = t->nsegment ? t->seg_now + 1 : 0;
    if (want < t->nsegment && t->segment[want].bytes >= bytes) {
        t->seg_now = (uint32_t)want;
        t->sp = t->segment[want].addr;
        return true;
    }
    t->nsegment = want; /* a segment that is too small is given up */
    if (t->nsegment == t->cap_segment) {
        t->cap_segment = t->cap_segment ? t->cap_segment * 2 : 8;
        t->segment = must(realloc(t->segment, t->cap_segment * sizeof *t->segment));
    }
    uint64_t size = SEGMENT_BYTES << (want < 8 ? want : 8);
    size = size < bytes ? bytes : size;
    uint32_t addr = sn_simmem_take(&vm->mem, size, 16, SN_TAG_GAP);
    if (addr == 0)
        return false;
    t->segment[t->nsegment++] = (struct sn_segment){addr, (uint32_t)size};
    t->seg_now = (uint32_t)want;
    t->sp = addr;
    return true;
}

uint32_t sn_stack_take(struct sn_vm *vm, struct sn_task *t, uint64_t bytes, uint32_t align)
{
    bytes = (bytes + 31) / 16 * 16 + (align > 16 ? align : 0); /* a gap behind every block */
    const struct sn_segment *s = t->nsegment ? &t->segment[t->seg_now] : NULL;
    if (s == NULL || s->addr + s->bytes - t->sp < bytes) {
        if (!next_segment(vm, t, bytes))
            return 0;
    }
    uint32_t at = t->sp;
    t->sp += (uint32_t)bytes;
    sn_charge(vm, bytes / 16);
    sn_range_tag(&vm->mem, at, bytes, SN_TAG_GAP);
    if (vm->concurrent)
        sn_range_forget(&vm->mem, at, bytes);
    return align > 16 ? (at + align - 1) / align * align : at;
}

void sn_stack_drop(struct sn_vm *vm, struct sn_task *t, uint32_t segment, uint32_t sp)
{
    if (t->nsegment == 0 || segment > t->seg_now)
        return;
    for (uint32_t k = t->seg_now; k > segment; k--)
        sn_range_tag(&vm->mem, t->segment[k].addr, t->segment[k].bytes, SN_TAG_DEAD);
    const struct sn_segment *s = &t->segment[segment];
    uint32_t end = segment == t->seg_now ? t->sp : s->addr + s->bytes;
    if (sp < s->addr) /* before the first frame */
        sp = s->addr;
    if (sp < end)
        sn_range_tag(&vm->mem, sp, end - sp, SN_TAG_DEAD);
    t->seg_now = segment;
    t->sp = sp;
}

uint32_t sn_task_tls(struct sn_vm *vm, struct sn_task *t)
{
    const struct sn_bytecode *c = vm->code;
    if (t->tls != 0)
        return t->tls;
    t->tls = sn_simmem_take(&vm->mem, c->tls_bytes + 16, 64, SN_TAG_GAP);
    if (t->tls != 0) {
        memcpy(sn_mem(&vm->mem, t->tls), c->tls, c->tls_bytes);
        memcpy(sn_tag(&vm->mem, t->tls), c->tls_tag, c->tls_bytes);
    }
    return t->tls;
}
