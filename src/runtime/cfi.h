/*
 * cfi.h: inside unwind.c and cfi.c only: where the caller's registers are, as DWARF call frame
 * information tells it of an address.
 */
#ifndef SN_RUNTIME_CFI_H
#define SN_RUNTIME_CFI_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    SN_RBX = 3,
    SN_RBP = 6,
    SN_RSP = 7,
    SN_R12 = 12,
    SN_R13,
    SN_R14,
    SN_R15,
    SN_RIP = 16,
    SN_NREGS = 17,
    SN_NSTATES = 8
};

enum sn_rule_kind {
    SN_SAME,
    SN_OFFSET,
    SN_REGISTER,
    SN_EXPRESSION,
    SN_VAL_OFFSET,
    SN_VAL_EXPRESSION,
    SN_UNDEFINED
};

struct sn_rule {
    enum sn_rule_kind kind;
    int64_t value;
    const uint8_t *expr;
};

struct sn_row {
    struct sn_rule reg[SN_NREGS];
    uint64_t cfa_reg;
    int64_t cfa_offset;
    const uint8_t *cfa_expr;
};

struct sn_cie {
    uint64_t code_align;
    int64_t data_align;
    uint64_t ret;
    uint8_t encoding;
    bool has_data, signal;
    const uint8_t *program, *end;
};

/* All that is found on the way to the row of an address. */
struct sn_cfi {
    struct sn_cie cie;
    struct sn_row row, first; /* first: after the CIE's program */
    struct sn_row state[SN_NSTATES];
    unsigned nstates;
    uintptr_t at, pc;
};

/* Numbers as DWARF writes them. */
static inline uint64_t sn_uleb(const uint8_t **p)
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

static inline int64_t sn_sleb(const uint8_t **p)
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

static inline uint64_t sn_fixed(const uint8_t **p, unsigned n)
{
    uint64_t v = 0;
    memcpy(&v, *p, n);
    *p += n;
    return v;
}

/* m: zeroed. m->row and m->cie hold for the code at pc. */
bool sn_cfi_find(uintptr_t pc, struct sn_cfi *m);

#endif
