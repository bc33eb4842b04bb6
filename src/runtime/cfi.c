/*
 * cfi.c: the description of an address, as it is mapped in the process. The module and its
 * .eh_frame_hdr come from _dl_find_object() (no lock) or from dl_iterate_phdr(). The header's table
 * gives the FDE by bisection; its program gives the rule of every register.
 */
#include "runtime/cfi.h"

#include <link.h>

#include "runtime/real.h"

enum { /* DWARF pointer encodings */
       PE_OMIT = 0xff,
       PE_UDATA4 = 3,
       PE_SDATA4 = 0xb,
       PE_PCREL = 0x10,
       PE_DATAREL = 0x30,
};

/* An encoded pointer; `data` is the base of data-relative ones. */
static uintptr_t encoded(const uint8_t **p, uint8_t enc, uintptr_t data)
{
    uintptr_t at = (uintptr_t)*p, v;
    if (enc == PE_OMIT)
        return 0;
    switch (enc & 0xf) {
    case 1:
        v = sn_uleb(p);
        break;
    case 2:
        v = sn_fixed(p, 2);
        break;
    case PE_UDATA4:
        v = sn_fixed(p, 4);
        break;
    case 9:
        v = (uintptr_t)sn_sleb(p);
        break;
    case 0xa:
        v = (uintptr_t)(int16_t)sn_fixed(p, 2);
        break;
    case PE_SDATA4:
        v = (uintptr_t)(int32_t)sn_fixed(p, 4);
        break;
    default:
        v = sn_fixed(p, 8);
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

static bool read_cie(const uint8_t *p, struct sn_cie *c)
{
    uint32_t bytes = (uint32_t)sn_fixed(&p, 4);
    c->end = p + bytes;
    if (bytes == 0 || bytes == 0xffffffff || sn_fixed(&p, 4) != 0)
        return false;
    uint8_t version = *p++;
    const char *augmentation = (const char *)p;
    p += strlen(augmentation) + 1;
    c->code_align = sn_uleb(&p);
    c->data_align = sn_sleb(&p);
    c->ret = version == 1 ? *p++ : sn_uleb(&p);
    c->has_data = augmentation[0] == 'z';
    const uint8_t *after = p;
    if (c->has_data) {
        uint64_t n = sn_uleb(&p);
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
    return c->ret == SN_RIP;
}

/* ---- the CFI program ---- */

static void set(struct sn_row *r, uint64_t reg, enum sn_rule_kind kind, int64_t value,
                const uint8_t *expr)
{
    if (reg < SN_NREGS)
        r->reg[reg] = (struct sn_rule){kind, value, expr};
}

static const uint8_t *block(const uint8_t **p)
{
    const uint8_t *here = *p;
    uint64_t n = sn_uleb(p);
    *p += n;
    return here;
}

/* Operations with an operand in their low six bits. */
static void run_short(struct sn_cfi *m, uint8_t op, const uint8_t **p)
{
    uint8_t low = op & 0x3f;
    if (op >> 6 == 1)
        m->at += low * m->cie.code_align;
    else if (op >> 6 == 2)
        set(&m->row, low, SN_OFFSET, (int64_t)sn_uleb(p) * m->cie.data_align, 0);
    else if (low < SN_NREGS)
        m->row.reg[low] = m->first.reg[low];
}

static bool run_cfa(struct sn_cfi *m, uint8_t op, const uint8_t **p)
{
    struct sn_row *r = &m->row;
    switch (op) {
    case 0x0c: /* def_cfa */
        r->cfa_reg = sn_uleb(p);
        r->cfa_offset = (int64_t)sn_uleb(p);
        r->cfa_expr = 0;
        return true;
    case 0x0d:
        r->cfa_reg = sn_uleb(p);
        return true;
    case 0x0e:
        r->cfa_offset = (int64_t)sn_uleb(p);
        return true;
    case 0x0f:
        r->cfa_expr = block(p);
        return true;
    case 0x12: /* def_cfa_sf */
        r->cfa_reg = sn_uleb(p);
        r->cfa_offset = sn_sleb(p) * m->cie.data_align;
        r->cfa_expr = 0;
        return true;
    case 0x13:
        r->cfa_offset = sn_sleb(p) * m->cie.data_align;
        return true;
    }
    return false;
}

static bool run_register(struct sn_cfi *m, uint8_t op, const uint8_t **p)
{
    struct sn_row *r = &m->row;
    uint64_t reg = op == 0x0a || op == 0x0b ? 0 : sn_uleb(p);
    switch (op) {
    case 0x05: /* offset_extended */
        set(r, reg, SN_OFFSET, (int64_t)sn_uleb(p) * m->cie.data_align, 0);
        return true;
    case 0x06: /* restore_extended */
        if (reg < SN_NREGS)
            r->reg[reg] = m->first.reg[reg];
        return true;
    case 0x07:
        set(r, reg, SN_UNDEFINED, 0, 0);
        return true;
    case 0x08:
        set(r, reg, SN_SAME, 0, 0);
        return true;
    case 0x09:
        set(r, reg, SN_REGISTER, (int64_t)sn_uleb(p), 0);
        return true;
    case 0x0a: /* remember_state */
        if (m->nstates == SN_NSTATES)
            return false;
        m->state[m->nstates++] = *r;
        return true;
    case 0x0b: /* restore_state */
        if (!m->nstates)
            return false;
        *r = m->state[--m->nstates];
        return true;
    case 0x10:
        set(r, reg, SN_EXPRESSION, 0, block(p));
        return true;
    case 0x11: /* offset_extended_sf */
        set(r, reg, SN_OFFSET, sn_sleb(p) * m->cie.data_align, 0);
        return true;
    case 0x14:
        set(r, reg, SN_VAL_OFFSET, (int64_t)sn_uleb(p) * m->cie.data_align, 0);
        return true;
    case 0x15:
        set(r, reg, SN_VAL_OFFSET, sn_sleb(p) * m->cie.data_align, 0);
        return true;
    case 0x16:
        set(r, reg, SN_VAL_EXPRESSION, 0, block(p));
        return true;
    }
    return false;
}

static bool run(struct sn_cfi *m, const uint8_t *p, const uint8_t *end)
{
    while (p < end && m->at <= m->pc) {
        uint8_t op = *p++;
        if (op >> 6)
            run_short(m, op, &p);
        else if (op == 0x00)
            continue;
        else if (op == 0x01)
            m->at = encoded(&p, m->cie.encoding, 0);
        else if (op == 0x02)
            m->at += sn_fixed(&p, 1) * m->cie.code_align;
        else if (op == 0x03)
            m->at += sn_fixed(&p, 2) * m->cie.code_align;
        else if (op == 0x04)
            m->at += sn_fixed(&p, 4) * m->cie.code_align;
        else if (op == 0x2e) /* GNU_args_size */
            sn_uleb(&p);
        else if ((op >= 0x0c && op <= 0x0f) || op == 0x12 || op == 0x13) {
            if (!run_cfa(m, op, &p))
                return false;
        } else if (!run_register(m, op, &p))
            return false;
    }
    return true;
}

bool sn_cfi_find(uintptr_t pc, struct sn_cfi *m)
{
    struct sn_cie *cie = &m->cie;
    const uint8_t *header = header_for(pc), *fde = header ? fde_for(header, pc) : 0, *p = fde;
    if (!fde)
        return false;
    uint32_t bytes = (uint32_t)sn_fixed(&p, 4);
    const uint8_t *end = p + bytes, *pointer = p;
    if (bytes == 0 || bytes == 0xffffffff || !read_cie(pointer - sn_fixed(&p, 4), cie))
        return false;
    uintptr_t start = encoded(&p, cie->encoding, 0), size = encoded(&p, cie->encoding & 0xf, 0);
    if (pc - start >= size)
        return false;
    if (cie->has_data) {
        uint64_t n = sn_uleb(&p);
        p += n;
    }
    m->at = start;
    m->pc = pc;
    if (!run(m, cie->program, cie->end))
        return false;
    m->first = m->row;
    m->at = start;
    return run(m, p, end);
}
