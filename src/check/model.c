/*
 * model.c: finds the model of a declared function, calls it, and does what the paper says about calls
 * of unknown functions: their results are uninterpreted.
 */
#include "check/model.h"

#include <stdlib.h>
#include <string.h>

#include "check/lib.h"
#include "check/rules.h"
#include "check/strategy.h"

#define SN_TABLE(name) extern const struct sn_model_table sn_models_##name;
#include "check/models.def"
#undef SN_TABLE

static const struct sn_model_table *const tables[] = {
#define SN_TABLE(name) &sn_models_##name,
#include "check/models.def"
#undef SN_TABLE
};

#define TABLES (sizeof tables / sizeof *tables)

static size_t count_models(void)
{
    size_t n = 0;
    for (size_t t = 0; t < TABLES; t++)
        n += tables[t]->n;
    return n;
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(const struct sn_model *const *)a)->name, (*(const struct sn_model *const *)b)->name);
}

/* All models, sorted by name; made once, kept for the life of the process. */
static const struct sn_model **sorted_models(size_t *n)
{
    static const struct sn_model **all;
    *n = count_models();
    if (all != NULL)
        return all;
    size_t k = 0;
    all = calloc(*n + 1, sizeof *all);
    if (all == NULL)
        abort();
    for (size_t t = 0; t < TABLES; t++)
        for (size_t i = 0; i < tables[t]->n; i++)
            all[k++] = &tables[t]->model[i];
    qsort(all, *n, sizeof *all, by_name);
    return all;
}

/* Versions of one function that the C library's headers switch to: __isoc99_sscanf, fopen64, … */
static const char *plain_name(const char *name, char *buf, size_t cap)
{
    static const char *const prefixes[] = {"__isoc99_", "__isoc23_", "\01"};
    for (size_t k = 0; k < sizeof prefixes / sizeof *prefixes; k++) {
        size_t n = strlen(prefixes[k]);
        if (strncmp(name, prefixes[k], n) == 0)
            return name + n;
    }
    size_t n = strlen(name);
    if (strncmp(name, "__", 2) == 0 && n > 6 && n < cap && strcmp(name + n - 4, "_chk") == 0)
        return name; /* fortified functions have other arguments: listed by name */
    if (n > 2 && n < cap && strcmp(name + n - 2, "64") == 0) {
        memcpy(buf, name, n - 2);
        buf[n - 2] = '\0';
        return buf;
    }
    return name;
}

static int find_model(const char *name)
{
    size_t n;
    const struct sn_model **all = sorted_models(&n);
    struct sn_model key = {.name = name};
    const struct sn_model *k = &key, **found = bsearch(&k, all, n, sizeof *all, by_name);
    return found ? (int)(found - all) : -1;
}

/* Members and operators of the standard streams: many instances of few templates. */
static bool is_stream(const char *name)
{
    static const char *const prefixes[] = {"_ZNSo", "_ZStls", "_ZNSolsE", "_ZSt4endl", "_ZSt16__ostream_insert",
                                           "_ZNSt9basic_ios", "_ZNKSt9basic_ios"};
    for (size_t k = 0; k < sizeof prefixes / sizeof *prefixes; k++)
        if (strncmp(name, prefixes[k], strlen(prefixes[k])) == 0)
            return true;
    return false;
}

static int model_of_name(const char *name)
{
    char buf[256];
    int m = find_model(name);
    if (m < 0 && is_stream(name))
        m = find_model("_ZNSt8ios_base4InitC1Ev"); /* no effect, returns its first argument */
    return m >= 0 ? m : find_model(plain_name(name, buf, sizeof buf));
}

bool sn_model_exists(const char *name) { return model_of_name(name) >= 0; }

void sn_models_bind(struct sn_bytecode *code, const struct sn_model ***table)
{
    size_t n;
    *table = sorted_models(&n);
    for (size_t i = 0; i < code->nfunc; i++) {
        const char *name = sn_bytecode_string(code, code->func[i].name);
        bool verifier = strncmp(name, "__VERIFIER_", 11) == 0;
        if (code->func[i].entry == SN_NONE || (verifier && find_model(name) >= 0))
            code->func[i].model = model_of_name(name);
        code->func[i].atomic = strncmp(name, "__VERIFIER_atomic_", 18) == 0 && code->func[i].model < 0;
    }
    for (size_t i = 0; i < code->ninsn; i++) {
        struct sn_insn *p = &code->insn[i];
        if (p->op != SN_BC_CALL)
            continue;
        const struct sn_func *f = &code->func[p->b];
        if (f->model >= 0)
            p->op = SN_BC_CALLM;
        else if (f->entry == SN_NONE)
            p->op = SN_BC_CALLU;
    }
}

const struct sn_model *sn_model_of(const struct sn_call *c)
{
    return c->vm->model[c->vm->code->func[c->func].model];
}

static enum sn_result finish_call(struct sn_call *c, const struct sn_insn *i, enum sn_result r)
{
    struct sn_task *t = c->t;
    if (r == SN_IMMEDIATE)
        return sn_callback_return(c->vm, t, t->immediate);
    if (r != SN_DONE && r != SN_YIELD)
        return r;
    unsigned n = SN_CALL_RESULTS(i->x);
    struct sn_reg *to = t->reg + t->act[t->nact - 1].base + i->a;
    for (unsigned k = 0; k < n; k++)
        to[k] = k == 0 ? c->ret : (struct sn_reg){0, SN_UNKNOWN};
    t->phase = 0;
    t->timed = t->timed_out = t->signaled = false;
    return r;
}

static void set_pending(struct sn_task *t, const struct sn_model *m, const struct sn_insn *i)
{
    const struct sn_reg *arg = t->reg + t->act[t->nact - 1].base + i->c;
    unsigned n = SN_CALL_ARGS(i->x);
    t->pending = (struct sn_visible){.write = !(m->flags & SN_MODEL_SHARED)};
    if (m->flags & SN_MODEL_ANY || (n == 0 && !(m->flags & SN_MODEL_LOCAL)))
        t->pending.object[0] = SN_OBJECT_ANY;
    else if (!(m->flags & SN_MODEL_LOCAL))
        t->pending.object[0] = arg[0].v;
    if (m->flags & SN_MODEL_BOTH && n > 1)
        t->pending.object[1] = arg[1].v;
}

enum sn_result sn_model_call(struct sn_vm *vm, struct sn_task *t, const struct sn_insn *i, uint32_t func)
{
    const struct sn_func *f = &vm->code->func[func];
    if (f->model < 0)
        return sn_unknown_call(vm, t, i, func);
    const struct sn_model *m = vm->model[f->model];
    if (vm->rules != NULL && t->phase == 0) {
        enum sn_result r = sn_rules_before(vm, t, i, func);
        if (r != SN_DONE)
            return r;
    }
    if (m->flags & SN_MODEL_POINT && t->phase == 0) {
        set_pending(t, m, i);
        if (sn_at_point(vm, t))
            return SN_POINT;
    }
    struct sn_call c = {.vm = vm, .t = t, .func = func, .nargs = SN_CALL_ARGS(i->x)};
    c.arg = t->reg + t->act[t->nact - 1].base + i->c;
    c.dst = SN_CALL_RESULTS(i->x) > 0 ? i->a : SN_NONE;
    vm->fuel--;
    vm->steps++;
    uint32_t epoch = t->epoch;
    enum sn_result r = m->fn(&c);
    if (r != SN_BLOCK)
        t->va_next = 0;
    if (m->flags & SN_MODEL_POINT && r != SN_BLOCK)
        sn_trail_add(&vm->trail, t->id, epoch, t->pc, m->flags & SN_MODEL_LOCAL ? 0 : t->pending.object[0]);
    return finish_call(&c, i, r);
}

enum sn_result sn_model_direct(struct sn_vm *vm, struct sn_task *t, uint32_t func, const struct sn_reg *arg,
                               unsigned nargs, struct sn_reg *ret)
{
    const struct sn_func *f = &vm->code->func[func];
    if (f->model < 0) {
        *ret = (struct sn_reg){sn_invent(vm, 64), SN_UNKNOWN};
        return SN_DONE;
    }
    struct sn_call c = {.vm = vm, .t = t, .func = func, .nargs = nargs, .arg = arg, .dst = SN_NONE};
    enum sn_result r = vm->model[f->model]->fn(&c);
    *ret = c.ret;
    return r;
}

enum sn_result sn_return_input(struct sn_call *c, unsigned bits)
{
    c->ret = (struct sn_reg){sn_invent(c->vm, bits), SN_INPUT};
    return SN_DONE;
}

#define OUT_BYTES 256u

/* A variable of the caller whose address is handed out is probably filled in. */
static void forget_argument(struct sn_vm *vm, struct sn_task *t, struct sn_reg arg)
{
    const struct sn_activation *a = &t->act[t->nact - 1];
    const struct sn_func *f = &vm->code->func[a->func];
    if (arg.u != 0 || a->mem == 0 || arg.v < a->mem || arg.v - a->mem >= f->frame_bytes)
        return;
    for (uint32_t k = 0; k < f->nlocal; k++) {
        const struct sn_local *l = &vm->code->local[f->local_first + k];
        if (arg.v - a->mem == l->offset && l->bytes <= OUT_BYTES)
            sn_range_tag(&vm->mem, arg.v, l->bytes, SN_UNKNOWN);
    }
}

enum sn_result sn_unknown_call(struct sn_vm *vm, struct sn_task *t, const struct sn_insn *i, uint32_t func)
{
    bool known = sn_rules_know(vm, func);
    enum sn_result r = known ? sn_rules_before(vm, t, i, func) : SN_DONE;
    if (r != SN_DONE)
        return r;
    struct sn_reg *arg = t->reg + t->act[t->nact - 1].base + i->c;
    struct sn_reg *to = t->reg + t->act[t->nact - 1].base + i->a;
    vm->counts.unknown_calls++;
    if (!known)
        sn_vague(vm, t); /* it may synchronise */
    for (unsigned k = 0; k < SN_CALL_ARGS(i->x); k++)
        forget_argument(vm, t, arg[k]);
    for (unsigned k = 0; k < SN_CALL_RESULTS(i->x); k++)
        to[k] = (struct sn_reg){sn_invent(vm, 64), SN_UNKNOWN};
    if (known)
        sn_rules_after(vm, t, i, func, SN_CALL_RESULTS(i->x) > 0 ? to : NULL);
    t->va_next = 0;
    return SN_DONE;
}

uint64_t sn_peek(const struct sn_vm *vm, uint64_t addr, unsigned bytes)
{
    uint64_t v = 0;
    if (sn_range_ok(&vm->mem, addr, bytes))
        memcpy(&v, sn_mem(&vm->mem, addr), bytes < 8 ? bytes : 8);
    return v;
}

void sn_poke(struct sn_vm *vm, uint64_t addr, unsigned bytes, uint64_t v)
{
    if (!sn_range_ok(&vm->mem, addr, bytes) || sn_range_tags(&vm->mem, addr, bytes) & SN_TAG_BAD)
        return;
    sn_range_tag(&vm->mem, addr, bytes, 0);
    memcpy(sn_mem(&vm->mem, addr), &v, bytes < 8 ? bytes : 8);
}

/* clang's va_arg takes an argument from the overflow area once the registers are used up, so they
 * are declared used up from the start. */
enum sn_result sn_va_start(struct sn_vm *vm, struct sn_task *t, struct sn_reg list, struct sn_reg area)
{
    if (!sn_touch(vm, t, list, vm->code->aarch64 ? 32 : 24, true))
        return SN_DONE;
    if (vm->code->aarch64) {
        sn_poke(vm, list.v, 8, area.v);  /* __stack */
        sn_poke(vm, list.v + 8, 8, 0);   /* __gr_top, __vr_top: not looked at */
        sn_poke(vm, list.v + 16, 8, 0);
        sn_poke(vm, list.v + 24, 8, 0);  /* __gr_offs, __vr_offs: no more registers */
    } else {
        sn_poke(vm, list.v, 4, 48);      /* gp_offset */
        sn_poke(vm, list.v + 4, 4, 176); /* fp_offset */
        sn_poke(vm, list.v + 8, 8, area.v);
        sn_poke(vm, list.v + 16, 8, 0);
    }
    if (area.u != 0)
        sn_range_tag(&vm->mem, list.v + (vm->code->aarch64 ? 0 : 8), 8, SN_UNKNOWN);
    return SN_DONE;
}

uint64_t sn_va_area(const struct sn_vm *vm, uint64_t list)
{
    return sn_peek(vm, list + (vm->code->aarch64 ? 0 : 8), 8);
}

void sn_lib_init(struct sn_vm *vm)
{
    vm->lib = calloc(1, sizeof *vm->lib);
    if (vm->lib == NULL)
        abort();
}

void sn_lib_reset(struct sn_vm *vm) { memset(vm->lib, 0, sizeof *vm->lib); }

void sn_lib_free(struct sn_vm *vm) { free(vm->lib); }
