/*
 * format.h: the binary form of a trace, said once for the encoder (which lives in the program under
 * test too: no malloc, no stdio) and the decoder.
 *
 * A file is a head of 16 bytes, then blocks. A block is a head of 32 bytes and a payload, which the
 * program writes as it is and the command may compress (zstd). Each block is checked by a CRC over
 * its head and payload. What was predicted from earlier events is forgotten at each block, so a
 * block needs only the tables of the blocks before it; a file that ends inside a block is good up
 * to the block before. The last block of a finished trace has kind SN_BLOCK_END and no payload.
 *
 * A payload is a row of records. The first byte is a tag: bits 0 to 5 are the operation (0: a table
 * record, whose kind is the next byte), bit 6 says that the thread is another one than before, bit
 * 7 that flags and memory order follow. The operations are numbered as the writer's event.def was;
 * the first record of a trace names them, so a reader with a longer list still reads it.
 *
 * An event after its tag: [thread] [flags | order << 8] shape [site] [address] [size] [value] [old]
 * [ranges]; the shape says which of them are there and how they were predicted. The same call is
 * made again and again with the same arguments, so a leave-code says only that its ranges are those
 * of its site's last one, or by how much they differ. The enter-code behind it has its site. Most
 * of both are nothing but a tag: SN_TAG_AGAIN, SN_TAG_BACK.
 */
#ifndef SN_TRACE_FORMAT_H
#define SN_TRACE_FORMAT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "trace/trace.h"

#define SN_TRACE_MAGIC "SNAGTRC\n"
#define SN_TRACE_VERSION 3 /* no other is read: what is predicted is part of the format */
#define SN_TRACE_HEAD_BYTES 16
#define SN_BLOCK_MAGIC 0x42544e53u  /* "SNTB" */
#define SN_BLOCK_BYTES (256u << 10) /* what the encoder fills; payload and head */
#define SN_BLOCK_MAX (4u << 20)     /* what the decoder accepts, raw */

enum sn_block_kind { SN_BLOCK_RECORDS, SN_BLOCK_END };
enum sn_block_codec { SN_CODEC_RAW, SN_CODEC_ZSTD };

struct sn_block_head {
    uint32_t magic;
    uint8_t codec; /* enum sn_block_codec */
    uint8_t kind;  /* enum sn_block_kind */
    uint16_t zero;
    uint32_t stored; /* payload bytes in the file */
    uint32_t raw;    /* payload bytes when unpacked */
    uint32_t events;
    uint32_t crc;   /* of this head with crc = 0, then the stored payload */
    uint64_t first; /* number of the first event in the trace, from 0 */
};
_Static_assert(sizeof(struct sn_block_head) == 32, "block head is 32 bytes, without holes");

#define SN_TAG_OP 0x3f
/* Operations that no event has. */
#define SN_TAG_BACK 0x3f  /* the thread's last leave-code is over */
#define SN_TAG_AGAIN 0x3e /* a leave-code that is in everything as expected */
#define SN_TAG_THREAD 0x40
#define SN_TAG_EXTRA 0x80

enum sn_table_record {
    SN_TABLE_OPS = 1, /* count, then per operation: number, name */
    SN_TABLE_SITE,    /* number, parent, module + 1, offset, where */
    SN_TABLE_MODULE,  /* number, build id, base, start, end, path */
    SN_TABLE_NAME,    /* address, size, name */
    SN_TABLE_NODE,    /* ranges: a block of the object graph, then its pointers */
    SN_TABLE_BLOCK,   /* the same, offsets in order: address, size, pointers; see put_block() */
};

/* The ranges of a leave-code: their number and these bits; those of a block: their number. */
enum { SN_RANGES_ROOTS = 1, SN_RANGES_SAME = 2, SN_RANGES_SHIFT = 2 };

/* The shape byte. */
enum {
    SN_SITE_SHIFT = 0, /* 2 bits */
    SN_ADDR_SHIFT = 2, /* 2 bits */
    SN_SIZE_SHIFT = 4, /* 1 bit */
    SN_VALUE_SHIFT = 5 /* 3 bits */
};
enum sn_site_shape { SN_SITE_PREDICTED, SN_SITE_GIVEN };
enum sn_addr_shape { SN_ADDR_SAME, SN_ADDR_BY_SITE, SN_ADDR_BY_THREAD, SN_ADDR_ZERO };
enum sn_size_shape { SN_SIZE_SAME, SN_SIZE_GIVEN };
enum sn_value_shape {
    SN_VALUE_UNKNOWN,
    SN_VALUE_ZERO,
    SN_VALUE_MEMORY,    /* what was last seen at this address */
    SN_VALUE_BY_SITE,   /* difference from the last value of this site */
    SN_VALUE_BY_MEMORY, /* difference from the last value at this address */
    SN_VALUE_WHOLE      /* eight bytes */
};

/* What was seen before in this block, kept alike by encoder and decoder. */
#define SN_MODEL_SITES 1024
#define SN_MODEL_WORDS 4096
#define SN_MODEL_THREADS 64
#define SN_MODEL_CALLS 256
#define SN_MODEL_RANGES 6
struct sn_trace_model {
    uint32_t thread;
    uint64_t block; /* of the object graph: the last one's address */
    struct {
        uint64_t addr, size, value;
        uint32_t next; /* the site that followed in the same thread */
    } site[SN_MODEL_SITES];
    struct {
        uint64_t addr, value;
    } word[SN_MODEL_WORDS];
    struct {
        uint64_t addr, callee;
        uint32_t site;
    } last[SN_MODEL_THREADS];
    struct sn_model_call {
        uint32_t n, flags;
        struct sn_trace_range range[SN_MODEL_RANGES];
    } call[SN_MODEL_CALLS]; /* by site: what its last leave-code reached */
};

/* The site that is expected of a thread's next event. A pair ends where it began: its end is no
 * step of the thread from site to site. */
static inline uint32_t sn_model_site(const struct sn_trace_model *m, uint32_t thread,
                                     enum sn_event_op op)
{
    uint32_t last = m->last[thread % SN_MODEL_THREADS].site;
    return op == SN_EV_ENTER_CODE ? last : m->site[last % SN_MODEL_SITES].next;
}

static inline unsigned sn_model_word(uint64_t addr)
{
    return (unsigned)((addr * 0x9e3779b97f4a7c15ull) >> 52);
}

static inline uint64_t sn_zigzag(uint64_t difference)
{
    return (difference << 1) ^ (0 - (difference >> 63));
}

static inline uint64_t sn_unzigzag(uint64_t z)
{
    return (z >> 1) ^ (0 - (z & 1));
}

/* Encoder and decoder call this after each event, with the same facts. */
static inline void sn_model_learn(struct sn_trace_model *m, const struct sn_trace_event *ev,
                                  int has_value)
{
    uint64_t addr = ev->ev.addr, value = ev->ev.value;
    uint32_t site = ev->site;
    unsigned t = ev->thread % SN_MODEL_THREADS, s = site % SN_MODEL_SITES;
    m->thread = ev->thread;
    if (ev->ev.op == SN_EV_ENTER_CODE)
        return;
    m->site[m->last[t].site % SN_MODEL_SITES].next = site;
    m->last[t].site = site;
    if (addr)
        m->last[t].addr = m->site[s].addr = addr;
    m->site[s].size = ev->ev.size;
    if (!has_value)
        return;
    m->site[s].value = value;
    m->word[sn_model_word(addr)].addr = addr;
    m->word[sn_model_word(addr)].value = value;
}

/* After a leave-code; `same`: its ranges are those of its site's last one. */
static inline void sn_model_call(struct sn_trace_model *m, const struct sn_trace_event *ev,
                                 int same)
{
    struct sn_model_call *call = &m->call[ev->site % SN_MODEL_CALLS];
    m->last[ev->thread % SN_MODEL_THREADS].callee = ev->ev.value;
    if (same)
        return;
    call->flags = ev->flags & SN_TRACE_ROOTS;
    call->n = ev->nranges <= SN_MODEL_RANGES ? ev->nranges : 0;
    for (uint32_t i = 0; i < call->n; i++)
        call->range[i] = ev->ranges[i];
}

/* After an SN_TABLE_BLOCK: its pointers are in memory. */
static inline void sn_model_block(struct sn_trace_model *m, const struct sn_trace_event *ev)
{
    m->block = ev->ranges[0].addr;
    for (uint32_t i = 1; i < ev->nranges; i++) {
        uint64_t addr = m->block + ev->ranges[i].addr;
        m->word[sn_model_word(addr)].addr = addr;
        m->word[sn_model_word(addr)].value = ev->ranges[i].size;
    }
}

static inline uint64_t sn_model_value_at(const struct sn_trace_model *m, uint64_t addr)
{
    unsigned w = sn_model_word(addr);
    return m->word[w].addr == addr ? m->word[w].value : 0;
}

/* What a pointer of a block is expected to be: what was there before, else near the block. */
static inline uint64_t sn_model_pointer(const struct sn_trace_model *m, uint64_t block,
                                        uint64_t offset)
{
    uint64_t value = sn_model_value_at(m, block + offset);
    return value ? value : block;
}

/* CRC-32 (IEEE 802.3), continued from `crc`; start with 0. */
uint32_t sn_crc32(uint32_t crc, const void *data, size_t bytes);
uint32_t sn_block_crc(const struct sn_block_head *h, const void *payload);

#endif
