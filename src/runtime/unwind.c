/*
 * unwind.c: an unwinder. cfi.c tells the rule of every register; the rules give the caller's
 * registers. Only the thread's own stack is read for saved registers, so that wrong tables end the
 * walk and nothing else. Expressions are evaluated as far as code that compilers make uses them
 * (signal frames, realigned stacks).
 */
#include "runtime/unwind.h"

#include "core/ctx.h"
#include "core/sys.h"
#include "core/thread.h"
#include "runtime/cfi.h"
#include "runtime/stack_cache.h"

struct frame {
    uint64_t reg[SN_NREGS];
    uintptr_t low, high; /* stack that may be read */
};

/* ---- values ---- */

static bool load(const struct frame *f, uint64_t addr, uint64_t *out)
{
    if (addr < f->low || addr + 8 > f->high || (addr & 7))
        return false;
    memcpy(out, (const void *)addr, 8);
    return true;
}

struct stack {
    uint64_t v[16];
    unsigned n;
};

static bool push(struct stack *s, uint64_t v)
{
    if (s->n == 16)
        return false;
    s->v[s->n++] = v;
    return true;
}

static bool binary(struct stack *s, uint8_t op)
{
    if (s->n < 2)
        return false;
    uint64_t b = s->v[--s->n], *a = &s->v[s->n - 1];
    switch (op) {
    case 0x1a:
        *a &= b;
        return true;
    case 0x1c:
        *a -= b;
        return true;
    case 0x22:
        *a += b;
        return true;
    case 0x24:
        *a = b < 64 ? *a << b : 0;
        return true;
    case 0x2a:
        *a = (int64_t)*a >= (int64_t)b;
        return true;
    }
    return false;
}

static bool step_expr(const struct frame *f, struct stack *s, const uint8_t **p)
{
    uint8_t op = *(*p)++;
    if (op >= 0x30 && op <= 0x4f) /* lit */
        return push(s, op - 0x30u);
    if (op >= 0x70 && op <= 0x70 + SN_RIP) { /* breg */
        int64_t offset = sn_sleb(p);
        return push(s, f->reg[op - 0x70] + (uint64_t)offset);
    }
    switch (op) {
    case 0x06: /* deref */
        return s->n && load(f, s->v[s->n - 1], &s->v[s->n - 1]);
    case 0x08:
        return push(s, sn_fixed(p, 1));
    case 0x09:
        return push(s, (uint64_t)(int8_t)sn_fixed(p, 1));
    case 0x0a:
        return push(s, sn_fixed(p, 2));
    case 0x10:
        return push(s, sn_uleb(p));
    case 0x11:
        return push(s, (uint64_t)sn_sleb(p));
    case 0x23: /* plus_uconst */
        if (!s->n)
            return false;
        s->v[s->n - 1] += sn_uleb(p);
        return true;
    }
    return binary(s, op);
}

/* `cfa`: pushed first for the rules of registers. */
static bool evaluate(const struct frame *f, const uint8_t *expr, const uint64_t *cfa, uint64_t *out)
{
    struct stack s = {.n = 0};
    uint64_t n = sn_uleb(&expr);
    const uint8_t *end = expr + n;
    if (cfa)
        push(&s, *cfa);
    while (expr < end)
        if (!step_expr(f, &s, &expr))
            return false;
    *out = s.n ? s.v[s.n - 1] : 0;
    return s.n != 0;
}

static bool apply(const struct frame *f, const struct sn_rule *r, unsigned i, uint64_t cfa,
                  uint64_t *out)
{
    uint64_t addr;
    switch (r->kind) {
    case SN_SAME:
        *out = f->reg[i];
        return true;
    case SN_OFFSET:
        return load(f, cfa + (uint64_t)r->value, out);
    case SN_REGISTER:
        *out = r->value >= 0 && r->value < SN_NREGS ? f->reg[r->value] : 0;
        return true;
    case SN_EXPRESSION:
        return evaluate(f, r->expr, &cfa, &addr) && load(f, addr, out);
    case SN_VAL_OFFSET:
        *out = cfa + (uint64_t)r->value;
        return true;
    case SN_VAL_EXPRESSION:
        return evaluate(f, r->expr, &cfa, out);
    case SN_UNDEFINED:
        break;
    }
    return false;
}

/* The machine is large and threads' stacks may be small: it lives in memory of its own. */
static bool step(struct frame *f, bool *signal, struct sn_cfi *m)
{
    struct frame caller = *f;
    uint64_t cfa;
    memset(m, 0, sizeof *m);
    if (!sn_cfi_find(f->reg[SN_RIP] - !*signal, m))
        return false;
    if (m->row.cfa_expr) {
        if (!evaluate(f, m->row.cfa_expr, 0, &cfa))
            return false;
    } else {
        if (m->row.cfa_reg >= SN_NREGS)
            return false;
        cfa = f->reg[m->row.cfa_reg] + (uint64_t)m->row.cfa_offset;
    }
    caller.reg[SN_RSP] = cfa;
    for (unsigned i = 0; i < SN_NREGS; i++)
        if (!(i == SN_RSP && m->row.reg[i].kind == SN_SAME) &&
            !apply(f, &m->row.reg[i], i, cfa, &caller.reg[i])) {
            if (i == SN_RIP)
                return false;
            caller.reg[i] = 0;
        }
    if (m->row.reg[SN_RIP].kind == SN_SAME || !caller.reg[SN_RIP] ||
        (caller.reg[SN_RSP] <= f->reg[SN_RSP] && !m->cie.signal))
        return false;
    *signal = m->cie.signal;
    *f = caller;
    return true;
}

/* Of a stack that is not the thread's first only this page is known to be there. */
static uintptr_t end_of_stack(uintptr_t low, const struct sn_thread *t)
{
    if (low >= t->stack_low && low < t->stack_high)
        return t->stack_high;
    return low + 65536 < low ? low : (low | 4095) + 1;
}

/* places: where the return addresses lie, from the second one on, if somebody wants to know; 0: it
 * is not where calls put it. */
static unsigned walk(const struct sn_call *c, const struct sn_thread *t, uintptr_t *pcs,
                     uintptr_t *places, unsigned max)
{
    static const uint8_t kept[6] = {SN_RBX, SN_RBP, SN_R12, SN_R13, SN_R14, SN_R15};
    struct frame f = {.low = (uintptr_t)(c + 1), .high = end_of_stack((uintptr_t)(c + 1), t)};
    bool signal = false;
    unsigned n = 0;
    for (int i = 0; i < 6; i++)
        f.reg[kept[i]] = c->kept[i];
    f.reg[SN_RIP] = c->pc;
    f.reg[SN_RSP] = (uintptr_t)(c + 1);
    pcs[n++] = c->pc;
    struct sn_cfi *m = sn_map(sizeof *m);
    while (m && n < max && step(&f, &signal, m)) {
        uintptr_t place = f.reg[SN_RSP] - 8, word = 0;
        if (places)
            places[n - 1] = !signal && load(&f, place, &word) && word == f.reg[SN_RIP] ? place : 0;
        pcs[n++] = f.reg[SN_RIP] + signal; /* frames are taken as return addresses */
    }
    if (m)
        sn_unmap(m, sizeof *m);
    return n;
}

unsigned sn_unwind(const struct sn_call *c, const struct sn_thread *t, uintptr_t *pcs, unsigned max)
{
    return walk(c, t, pcs, 0, max);
}

/* The registers as they are in this very function: its own rules lead to its caller. */
unsigned sn_unwind_here(const struct sn_thread *t, uintptr_t *pcs, unsigned max)
{
    struct frame f = {0};
    bool signal = false;
    unsigned n = 0;
    __asm__ volatile("mov %%rbx, %0\n mov %%rbp, %1\n mov %%r12, %2\n mov %%r13, %3\n mov %%r14, %4\n mov %%r15, %5"
                     : "=m"(f.reg[SN_RBX]), "=m"(f.reg[SN_RBP]), "=m"(f.reg[SN_R12]), "=m"(f.reg[SN_R13]),
                       "=m"(f.reg[SN_R14]), "=m"(f.reg[SN_R15]));
    __asm__ volatile("mov %%rsp, %0\n lea (%%rip), %1" : "=m"(f.reg[SN_RSP]), "=r"(f.reg[SN_RIP]));
    f.low = f.reg[SN_RSP];
    f.high = end_of_stack(f.low, t);
    struct sn_cfi *m = sn_map(sizeof *m);
    while (m && n < max && step(&f, &signal, m))
        pcs[n++] = f.reg[SN_RIP] + signal;
    if (m)
        sn_unmap(m, sizeof *m);
    return n;
}

/* A stack with a frame that is not like others is walked each time. */
static void keep(const struct sn_call *c, const struct sn_thread *t, const uintptr_t *places,
                 unsigned n, uint32_t where)
{
    bool usual = n <= SN_CACHED_FRAMES && t == sn_self && (uintptr_t)c >= t->stack_low &&
                 (uintptr_t)c < t->stack_high;
    for (unsigned i = 0; i < n && usual; i++)
        usual = places[i] != 0;
    if (usual)
        sn_stack_cache_put(c, places, n, where);
}

uint32_t sn_unwind_where(const struct sn_call *c, const struct sn_thread *t)
{
    uintptr_t pcs[SN_MAX_STACK], places[SN_MAX_STACK];
    uint32_t where = t == sn_self ? sn_stack_cache_find(c, t) : 0;
    if (where)
        return where;
    unsigned n = walk(c, t, pcs, places, SN_MAX_STACK), left = n;
    while (left-- > 0) {
        uint32_t node = sn_ctx_leaf(where, pcs[left]);
        if (!node)
            return where;
        where = node;
    }
    keep(c, t, places, n - 1, where);
    return where;
}
