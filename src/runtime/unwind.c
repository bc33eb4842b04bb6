/*
 * unwind.c: an unwinder for DWARF call frame information, as it is mapped in the process.
 *
 * The module of an address and its .eh_frame_hdr come from _dl_find_object() (no lock) or from
 * dl_iterate_phdr(). The header's table gives the FDE by bisection; its CFI program gives the rule
 * of every register at the address; the rules give the caller's registers. Only the thread's own
 * stack is read for saved registers, so that wrong tables end the walk and nothing else.
 * Expressions are evaluated as far as code that compilers make uses them (signal frames, realigned
 * stacks).
 */
#include "runtime/unwind.h"

#include <link.h>
#include <stdbool.h>
#include <string.h>

#include "core/ctx.h"
#include "core/sys.h"
#include "core/thread.h"
#include "runtime/real.h"
#include "runtime/stack_cache.h"

enum { RBX = 3, RBP = 6, RSP = 7, R12 = 12, R13, R14, R15, RIP = 16, NREGS = 17, NSTATES = 8 };

enum { /* DWARF pointer encodings */
       PE_OMIT = 0xff,
       PE_UDATA4 = 3,
       PE_SDATA4 = 0xb,
       PE_PCREL = 0x10,
       PE_DATAREL = 0x30,
};

enum rule_kind { SAME, OFFSET, REGISTER, EXPRESSION, VAL_OFFSET, VAL_EXPRESSION, UNDEFINED };

struct rule {
    enum rule_kind kind;
    int64_t value;
    const uint8_t *expr;
};

struct row {
    struct rule reg[NREGS];
    uint64_t cfa_reg;
    int64_t cfa_offset;
    const uint8_t *cfa_expr;
};

struct frame {
    uint64_t reg[NREGS];
    uintptr_t low, high; /* stack that may be read */
};

struct cie {
    uint64_t code_align;
    int64_t data_align;
    uint64_t ret;
    uint8_t encoding;
    bool has_data, signal;
    const uint8_t *program, *end;
};

static uint64_t uleb(const uint8_t **p)
{
    uint64_t v = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint8_t b = *(*p)++;
        if (shift < 64)
            v |= (uint64_t)(b & 0x7f) << shift;
        if (!(b & 0x80))
            return v;
    }
}

static int64_t sleb(const uint8_t **p)
{
    int64_t v = 0;
    unsigned shift = 0;
    uint8_t b;
    do {
        b = *(*p)++;
        if (shift < 64)
            v |= (int64_t)((uint64_t)(b & 0x7f) << shift);
        shift += 7;
    } while (b & 0x80);
    if (shift < 64 && (b & 0x40))
        v |= -(int64_t)(1ull << shift);
    return v;
}

static uint64_t fixed(const uint8_t **p, unsigned n)
{
    uint64_t v = 0;
    memcpy(&v, *p, n);
    *p += n;
    return v;
}

/* An encoded pointer; `data` is the base of data-relative ones. */
static uintptr_t encoded(const uint8_t **p, uint8_t enc, uintptr_t data)
{
    uintptr_t at = (uintptr_t)*p, v;
    if (enc == PE_OMIT)
        return 0;
    switch (enc & 0xf) {
    case 1:
        v = uleb(p);
        break;
    case 2:
        v = fixed(p, 2);
        break;
    case PE_UDATA4:
        v = fixed(p, 4);
        break;
    case 9:
        v = (uintptr_t)sleb(p);
        break;
    case 0xa:
        v = (uintptr_t)(int16_t)fixed(p, 2);
        break;
    case PE_SDATA4:
        v = (uintptr_t)(int32_t)fixed(p, 4);
        break;
    default:
        v = fixed(p, 8);
    }
    if ((enc & 0x70) == PE_PCREL)
        v += at;
    else if ((enc & 0x70) == PE_DATAREL)
        v += data;
    return v;
}

/* ---- finding the description of an address ---- */

struct search {
    uintptr_t pc;
    const uint8_t *header;
};

static int visit(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct search *s = arg;
    const uint8_t *header = 0;
    bool inside = false;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
        uintptr_t from = info->dlpi_addr + ph->p_vaddr;
        if (ph->p_type == PT_GNU_EH_FRAME)
            header = (const uint8_t *)from;
        else if (ph->p_type == PT_LOAD && s->pc - from < ph->p_memsz)
            inside = true;
    }
    s->header = inside ? header : 0;
    return inside;
}

static const uint8_t *header_for(uintptr_t pc)
{
    struct dl_find_object found;
    struct search s = {.pc = pc};
    if (sn_real._dl_find_object)
        return sn_real._dl_find_object((void *)pc, &found) == 0 ? found.dlfo_eh_frame : 0;
    dl_iterate_phdr(visit, &s);
    return s.header;
}

static const uint8_t *fde_for(const uint8_t *header, uintptr_t pc)
{
    const uint8_t *p = header + 4;
    if (header[0] != 1 || header[3] != (PE_DATAREL | PE_SDATA4) || header[2] == PE_OMIT)
        return 0;
    encoded(&p, header[1], (uintptr_t)header);
    size_t n = encoded(&p, header[2], (uintptr_t)header), low = 0, high = n;
    const int32_t *table = (const int32_t *)p;
    int64_t want = (int64_t)(pc - (uintptr_t)header);
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (table[mid * 2] <= want)
            low = mid + 1;
        else
            high = mid;
    }
    return low ? header + table[(low - 1) * 2 + 1] : 0;
}

static bool read_cie(const uint8_t *p, struct cie *c)
{
    uint32_t bytes = (uint32_t)fixed(&p, 4);
    c->end = p + bytes;
    if (bytes == 0 || bytes == 0xffffffff || fixed(&p, 4) != 0)
        return false;
    uint8_t version = *p++;
    const char *augmentation = (const char *)p;
    p += strlen(augmentation) + 1;
    c->code_align = uleb(&p);
    c->data_align = sleb(&p);
    c->ret = version == 1 ? *p++ : uleb(&p);
    c->has_data = augmentation[0] == 'z';
    const uint8_t *after = p;
    if (c->has_data) {
        uint64_t n = uleb(&p);
        after = p + n;
    }
    for (const char *a = augmentation + c->has_data; *a; a++) {
        if (*a == 'R')
            c->encoding = *p++;
        else if (*a == 'L')
            p++;
        else if (*a == 'P') {
            uint8_t enc = *p++;
            encoded(&p, enc & 0x7f, 0);
        } else if (*a == 'S')
            c->signal = true;
        else
            break;
    }
    c->program = after;
    return c->ret == RIP;
}

/* ---- the CFI program ---- */

struct machine {
    const struct cie *cie;
    struct row row, first; /* first: after the CIE's program */
    struct row state[NSTATES];
    unsigned nstates;
    uintptr_t at, pc;
};

static void set(struct row *r, uint64_t reg, enum rule_kind kind, int64_t value,
                const uint8_t *expr)
{
    if (reg < NREGS)
        r->reg[reg] = (struct rule){kind, value, expr};
}

static const uint8_t *block(const uint8_t **p)
{
    const uint8_t *here = *p;
    uint64_t n = uleb(p);
    *p += n;
    return here;
}

/* Operations with an operand in their low six bits. */
static void run_short(struct machine *m, uint8_t op, const uint8_t **p)
{
    uint8_t low = op & 0x3f;
    if (op >> 6 == 1)
        m->at += low * m->cie->code_align;
    else if (op >> 6 == 2)
        set(&m->row, low, OFFSET, (int64_t)uleb(p) * m->cie->data_align, 0);
    else if (low < NREGS)
        m->row.reg[low] = m->first.reg[low];
}

static bool run_cfa(struct machine *m, uint8_t op, const uint8_t **p)
{
    struct row *r = &m->row;
    switch (op) {
    case 0x0c: /* def_cfa */
        r->cfa_reg = uleb(p);
        r->cfa_offset = (int64_t)uleb(p);
        r->cfa_expr = 0;
        return true;
    case 0x0d:
        r->cfa_reg = uleb(p);
        return true;
    case 0x0e:
        r->cfa_offset = (int64_t)uleb(p);
        return true;
    case 0x0f:
        r->cfa_expr = block(p);
        return true;
    case 0x12: /* def_cfa_sf */
        r->cfa_reg = uleb(p);
        r->cfa_offset = sleb(p) * m->cie->data_align;
        r->cfa_expr = 0;
        return true;
    case 0x13:
        r->cfa_offset = sleb(p) * m->cie->data_align;
        return true;
    }
    return false;
}

static bool run_register(struct machine *m, uint8_t op, const uint8_t **p)
{
    struct row *r = &m->row;
    uint64_t reg = op == 0x0a || op == 0x0b ? 0 : uleb(p);
    switch (op) {
    case 0x05: /* offset_extended */
        set(r, reg, OFFSET, (int64_t)uleb(p) * m->cie->data_align, 0);
        return true;
    case 0x06: /* restore_extended */
        if (reg < NREGS)
            r->reg[reg] = m->first.reg[reg];
        return true;
    case 0x07:
        set(r, reg, UNDEFINED, 0, 0);
        return true;
    case 0x08:
        set(r, reg, SAME, 0, 0);
        return true;
    case 0x09:
        set(r, reg, REGISTER, (int64_t)uleb(p), 0);
        return true;
    case 0x0a: /* remember_state */
        if (m->nstates == NSTATES)
            return false;
        m->state[m->nstates++] = *r;
        return true;
    case 0x0b: /* restore_state */
        if (!m->nstates)
            return false;
        *r = m->state[--m->nstates];
        return true;
    case 0x10:
        set(r, reg, EXPRESSION, 0, block(p));
        return true;
    case 0x11: /* offset_extended_sf */
        set(r, reg, OFFSET, sleb(p) * m->cie->data_align, 0);
        return true;
    case 0x14:
        set(r, reg, VAL_OFFSET, (int64_t)uleb(p) * m->cie->data_align, 0);
        return true;
    case 0x15:
        set(r, reg, VAL_OFFSET, sleb(p) * m->cie->data_align, 0);
        return true;
    case 0x16:
        set(r, reg, VAL_EXPRESSION, 0, block(p));
        return true;
    }
    return false;
}

static bool run(struct machine *m, const uint8_t *p, const uint8_t *end)
{
    while (p < end && m->at <= m->pc) {
        uint8_t op = *p++;
        if (op >> 6)
            run_short(m, op, &p);
        else if (op == 0x00)
            continue;
        else if (op == 0x01)
            m->at = encoded(&p, m->cie->encoding, 0);
        else if (op == 0x02)
            m->at += fixed(&p, 1) * m->cie->code_align;
        else if (op == 0x03)
            m->at += fixed(&p, 2) * m->cie->code_align;
        else if (op == 0x04)
            m->at += fixed(&p, 4) * m->cie->code_align;
        else if (op == 0x2e) /* GNU_args_size */
            uleb(&p);
        else if ((op >= 0x0c && op <= 0x0f) || op == 0x12 || op == 0x13) {
            if (!run_cfa(m, op, &p))
                return false;
        } else if (!run_register(m, op, &p))
            return false;
    }
    return true;
}

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
    if (op >= 0x70 && op <= 0x70 + RIP) { /* breg */
        int64_t offset = sleb(p);
        return push(s, f->reg[op - 0x70] + (uint64_t)offset);
    }
    switch (op) {
    case 0x06: /* deref */
        return s->n && load(f, s->v[s->n - 1], &s->v[s->n - 1]);
    case 0x08:
        return push(s, fixed(p, 1));
    case 0x09:
        return push(s, (uint64_t)(int8_t)fixed(p, 1));
    case 0x0a:
        return push(s, fixed(p, 2));
    case 0x10:
        return push(s, uleb(p));
    case 0x11:
        return push(s, (uint64_t)sleb(p));
    case 0x23: /* plus_uconst */
        if (!s->n)
            return false;
        s->v[s->n - 1] += uleb(p);
        return true;
    }
    return binary(s, op);
}

/* `cfa`: pushed first for the rules of registers. */
static bool evaluate(const struct frame *f, const uint8_t *expr, const uint64_t *cfa, uint64_t *out)
{
    struct stack s = {.n = 0};
    uint64_t n = uleb(&expr);
    const uint8_t *end = expr + n;
    if (cfa)
        push(&s, *cfa);
    while (expr < end)
        if (!step_expr(f, &s, &expr))
            return false;
    *out = s.n ? s.v[s.n - 1] : 0;
    return s.n != 0;
}

static bool apply(const struct frame *f, const struct rule *r, unsigned i, uint64_t cfa,
                  uint64_t *out)
{
    uint64_t addr;
    switch (r->kind) {
    case SAME:
        *out = f->reg[i];
        return true;
    case OFFSET:
        return load(f, cfa + (uint64_t)r->value, out);
    case REGISTER:
        *out = r->value >= 0 && r->value < NREGS ? f->reg[r->value] : 0;
        return true;
    case EXPRESSION:
        return evaluate(f, r->expr, &cfa, &addr) && load(f, addr, out);
    case VAL_OFFSET:
        *out = cfa + (uint64_t)r->value;
        return true;
    case VAL_EXPRESSION:
        return evaluate(f, r->expr, &cfa, out);
    case UNDEFINED:
        break;
    }
    return false;
}

static bool find_row(uintptr_t pc, struct machine *m, struct cie *cie)
{
    const uint8_t *header = header_for(pc), *fde = header ? fde_for(header, pc) : 0, *p = fde;
    if (!fde)
        return false;
    uint32_t bytes = (uint32_t)fixed(&p, 4);
    const uint8_t *end = p + bytes, *pointer = p;
    if (bytes == 0 || bytes == 0xffffffff || !read_cie(pointer - fixed(&p, 4), cie))
        return false;
    uintptr_t start = encoded(&p, cie->encoding, 0), size = encoded(&p, cie->encoding & 0xf, 0);
    if (pc - start >= size)
        return false;
    if (cie->has_data) {
        uint64_t n = uleb(&p);
        p += n;
    }
    m->cie = cie;
    m->at = start;
    m->pc = pc;
    if (!run(m, cie->program, cie->end))
        return false;
    m->first = m->row;
    m->at = start;
    return run(m, p, end);
}

/* The machine is large and threads' stacks may be small: it lives in memory of its own. */
static bool step(struct frame *f, bool *signal, struct machine *m)
{
    struct cie cie = {0};
    struct frame caller = *f;
    uint64_t cfa;
    memset(m, 0, sizeof *m);
    if (!find_row(f->reg[RIP] - !*signal, m, &cie))
        return false;
    if (m->row.cfa_expr) {
        if (!evaluate(f, m->row.cfa_expr, 0, &cfa))
            return false;
    } else {
        if (m->row.cfa_reg >= NREGS)
            return false;
        cfa = f->reg[m->row.cfa_reg] + (uint64_t)m->row.cfa_offset;
    }
    caller.reg[RSP] = cfa;
    for (unsigned i = 0; i < NREGS; i++)
        if (!(i == RSP && m->row.reg[i].kind == SAME) &&
            !apply(f, &m->row.reg[i], i, cfa, &caller.reg[i])) {
            if (i == RIP)
                return false;
            caller.reg[i] = 0;
        }
    if (m->row.reg[RIP].kind == SAME || !caller.reg[RIP] ||
        (caller.reg[RSP] <= f->reg[RSP] && !cie.signal))
        return false;
    *signal = cie.signal;
    *f = caller;
    return true;
}

/* places: where the return addresses lie, from the second one on, if somebody wants to know; 0: it
 * is not where calls put it. */
static unsigned walk(const struct sn_call *c, const struct sn_thread *t, uintptr_t *pcs,
                     uintptr_t *places, unsigned max)
{
    static const uint8_t kept[6] = {RBX, RBP, R12, R13, R14, R15};
    struct frame f = {.low = (uintptr_t)(c + 1), .high = t->stack_high};
    bool signal = false;
    unsigned n = 0;
    for (int i = 0; i < 6; i++)
        f.reg[kept[i]] = c->kept[i];
    f.reg[RIP] = c->pc;
    f.reg[RSP] = (uintptr_t)(c + 1);
    if (f.high < f.low) /* a stack that is not the thread's first */
        f.high = f.low + 65536 < f.low ? f.low : (f.low | 4095) + 1;
    pcs[n++] = c->pc;
    struct machine *m = sn_map(sizeof *m);
    while (m && n < max && step(&f, &signal, m)) {
        uintptr_t place = f.reg[RSP] - 8, word = 0;
        if (places)
            places[n - 1] = !signal && load(&f, place, &word) && word == f.reg[RIP] ? place : 0;
        pcs[n++] = f.reg[RIP] + signal; /* frames are taken as return addresses */
    }
    if (m)
        sn_unmap(m, sizeof *m);
    return n;
}

unsigned sn_unwind(const struct sn_call *c, const struct sn_thread *t, uintptr_t *pcs, unsigned max)
{
    return walk(c, t, pcs, 0, max);
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
