/*
 * memory.h: the simulated memory. One reserved mapping holds everything at fixed distances, so that
 * the interpreter needs one base register: the bytes, a tag per byte, a dirty byte per page, and the
 * access history, one cell per eight bytes.
 *
 *   base + addr                          the byte
 *   base + SN_TAGS + addr                its tag
 *   base + SN_DIRTY + addr / 4096        what of the page must be reset before the next run
 *   base + SN_CELLS + addr / 8 * 32      its struct sn_vcell
 *
 * Addresses are handed out upwards and never twice in a run, so that a freed block stays freed.
 * Between blocks lie gaps that are not addressable.
 */
#ifndef SN_CHECK_MEMORY_H
#define SN_CHECK_MEMORY_H

#include "check/bytecode.h"

#define SN_TAGS 0x20000000u
#define SN_DIRTY 0x40000000u
#define SN_CELLS 0x41000000u
#define SN_SPACE_BYTES (SN_CELLS + 4ull * SN_ADDR_LIMIT)
#define SN_PAGE 4096u

/* Tag of a byte: enum sn_taint bits of its value (1, 2, 4, 64), and: */
#define SN_TAG_GAP 8    /* between blocks */
#define SN_TAG_FREED 16  /* was given back */
#define SN_TAG_DEAD 32  /* its function has returned */
#define SN_TAG_BAD (SN_TAG_GAP | SN_TAG_FREED | SN_TAG_DEAD)

/* Dirty byte of a page. */
#define SN_DIRTY_BYTES 1 /* bytes or tags were written */
#define SN_DIRTY_CELLS 2
#define SN_DIRTY_SYNC 4  /* a lock or the like lies in it */

/* One access as the history keeps it. */
struct sn_vaccess {
    uint32_t epoch; /* 0: none */
    uint32_t pc, ctx;
    uint8_t mask;   /* bytes of the granule */
    uint8_t flags;
    uint16_t locks;
};

#define SN_ACC_WRITE 1
#define SN_ACC_ATOMIC 2
#define SN_ACC_VOLATILE 4
#define SN_ACC_FREE 8
#define SN_ACC_SIGNAL 16 /* in a signal handler */
#define SN_ACC_MORE 128  /* in w: further accesses are in the overflow table */

struct sn_vcell {
    struct sn_vaccess w, r;
};

struct sn_place_of { /* where and by whom something was done */
    uint32_t pc, ctx;
    int32_t task;
};

/* A heap block. */
struct sn_heap_block {
    uint32_t addr, bytes;
    bool freed;
    struct sn_place_of made, gone;
    uint32_t gone_epoch;
};

struct sn_simmem {
    uint8_t *base;
    const struct sn_bytecode *code;
    uint32_t heap_start;  /* globals lie below; page-aligned */
    uint32_t top;         /* first address never handed out */
    uint64_t live_bytes;  /* of heap blocks */
    struct sn_heap_block *block; /* ascending */
    size_t nblock, cap_block;
};

static inline uint8_t *sn_mem(const struct sn_simmem *m, uint64_t addr) { return m->base + addr; }
static inline uint8_t *sn_tag(const struct sn_simmem *m, uint64_t addr) { return m->base + SN_TAGS + addr; }
static inline uint8_t *sn_dirty(const struct sn_simmem *m, uint64_t addr)
{
    return m->base + SN_DIRTY + (addr >> 12);
}
static inline struct sn_vcell *sn_vcell(const struct sn_simmem *m, uint64_t addr)
{
    return (struct sn_vcell *)(m->base + SN_CELLS + (addr >> 3 << 5));
}

int sn_simmem_init(struct sn_simmem *m, const struct sn_bytecode *code); /* 0 or -errno */
void sn_simmem_free(struct sn_simmem *m);
/* Everything as at the start of the program. */
void sn_simmem_reset(struct sn_simmem *m);
/* New addressable bytes with that tag, 0 when the space is used up. Their contents are zero. */
uint32_t sn_simmem_take(struct sn_simmem *m, uint64_t bytes, uint64_t align, uint8_t tag);
/* A heap block on top of that. */
struct sn_heap_block *sn_heap_new(struct sn_simmem *m, uint64_t bytes, uint64_t align, uint8_t tag);
struct sn_heap_block *sn_heap_at(const struct sn_simmem *m, uint64_t addr); /* that contains addr */
void sn_heap_free(struct sn_simmem *m, struct sn_heap_block *b);

bool sn_range_ok(const struct sn_simmem *m, uint64_t addr, uint64_t bytes); /* inside the space */
uint8_t sn_range_tags(const struct sn_simmem *m, uint64_t addr, uint64_t bytes); /* all or'ed */
void sn_range_mark(struct sn_simmem *m, uint64_t addr, uint64_t bytes, uint8_t dirty);
void sn_range_tag(struct sn_simmem *m, uint64_t addr, uint64_t bytes, uint8_t tag);
void sn_range_forget(struct sn_simmem *m, uint64_t addr, uint64_t bytes); /* its access history */

#endif
