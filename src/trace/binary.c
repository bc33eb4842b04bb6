/*
 * binary.c: reads the binary form: blocks from the file, unpacked and checked, then records.
 *
 * A file that ends inside a block, or without its last block, is what a killed program leaves: it
 * is read up to the last full block, with a remark. Everything else that is wrong is damage and
 * ends the reading with the position in the file and the reason.
 */
#include "trace/form.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "trace/decode.h"
#include "trace/format.h"

struct sn_binary_reader {
    uint64_t offset;   /* in the file: of the next block */
    uint64_t block_at; /* of the current block */
    uint64_t events;   /* read so far */
    uint32_t left;     /* events that the current block still owes */
    bool finished;
    uint8_t *stored, *raw;
    struct sn_decoder decoder;
};

struct sn_binary_reader *sn_binary_reader_new(void)
{
    struct sn_binary_reader *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->stored = malloc(SN_BLOCK_MAX);
    r->raw = malloc(SN_BLOCK_MAX);
    if (r->stored && r->raw)
        return r;
    sn_binary_reader_free(r);
    return NULL;
}

void sn_binary_reader_free(struct sn_binary_reader *r)
{
    if (!r)
        return;
    sn_decode_free(&r->decoder);
    free(r->stored);
    free(r->raw);
    free(r);
}

int sn_binary_reader_head(struct sn_trace *t)
{
    uint8_t head[SN_TRACE_HEAD_BYTES];
    uint32_t version;
    if (fread(head, 1, sizeof head, t->in) != sizeof head)
        return sn_trace_fail(t, "it ends inside its head of %d bytes", SN_TRACE_HEAD_BYTES);
    if (memcmp(head, SN_TRACE_MAGIC, 8) != 0)
        return sn_trace_fail(t, "at byte 0: not a trace");
    memcpy(&version, head + 8, 4);
    if (version != SN_TRACE_VERSION)
        return sn_trace_fail(t, "at byte 8: version %u, this snag reads version %d", version,
                             SN_TRACE_VERSION);
    t->binary->offset = sizeof head;
    return 0;
}

static int damaged(struct sn_trace *t, const char *why)
{
    return sn_trace_fail(t, "damaged at byte %" PRIu64 ": %s", t->binary->block_at, why);
}

/* The end of the file where a block, or the rest of one, should be. */
static int cut_off(struct sn_trace *t)
{
    struct sn_binary_reader *r = t->binary;
    if (ferror(t->in))
        return sn_trace_fail(t, "at byte %" PRIu64 ": %s", r->block_at, strerror(errno));
    r->finished = true;
    snprintf(t->why, sizeof t->why,
             "it was not finished (was the program killed?): %" PRIu64
             " events, up to byte %" PRIu64,
             r->events, r->block_at);
    return 0;
}

static const char *check_head(const struct sn_binary_reader *r, const struct sn_block_head *h)
{
    if (h->magic != SN_BLOCK_MAGIC)
        return "no block begins here";
    if (h->codec > SN_CODEC_ZSTD || h->kind > SN_BLOCK_END || h->zero)
        return "block of an unknown kind";
    if (h->raw > SN_BLOCK_MAX || h->stored > SN_BLOCK_MAX)
        return "block is larger than any writer makes";
    if (h->codec == SN_CODEC_RAW && h->raw != h->stored)
        return "block's two sizes differ though it is not compressed";
    if (h->first != r->events)
        return "block does not continue the one before: events are missing";
    return NULL;
}

static const char *unpack(struct sn_binary_reader *r, const struct sn_block_head *h)
{
    if (h->codec == SN_CODEC_RAW) {
        memcpy(r->raw, r->stored, h->raw);
        return NULL;
    }
    size_t n = ZSTD_decompress(r->raw, h->raw, r->stored, h->stored);
    if (ZSTD_isError(n))
        return ZSTD_getErrorName(n);
    return n == h->raw ? NULL : "block unpacks to another size than it says";
}

/* 1: a block is ready; 0: the end. */
static int next_block(struct sn_trace *t)
{
    struct sn_binary_reader *r = t->binary;
    struct sn_block_head h;
    r->block_at = r->offset;
    if (fread(&h, 1, sizeof h, t->in) != sizeof h)
        return cut_off(t);
    const char *why = check_head(r, &h);
    if (why)
        return damaged(t, why);
    if (fread(r->stored, 1, h.stored, t->in) != h.stored)
        return cut_off(t);
    if (sn_block_crc(&h, r->stored) != h.crc)
        return damaged(t, "checksum of the block does not match");
    why = unpack(r, &h);
    if (why)
        return damaged(t, why);
    r->offset += sizeof h + h.stored;
    r->left = h.events;
    r->finished = h.kind == SN_BLOCK_END;
    sn_decode_begin(&r->decoder, r->raw, h.raw);
    return !r->finished;
}

static int keep_table(struct sn_trace *t, const struct sn_table_item *item)
{
    switch (item->kind) {
    case SN_TABLE_SITE:
        return sn_tables_site(&t->tables, item->number, &item->site, item->text, item->text_bytes);
    case SN_TABLE_MODULE:
        return sn_tables_module(&t->tables, item->number, &item->module, item->text,
                                item->text_bytes);
    case SN_TABLE_NAME:
        return sn_tables_name(&t->tables, item->name.addr, item->name.size, item->text,
                              item->text_bytes);
    default:
        return 0;
    }
}

static const char *check_event(const struct sn_trace *t, const struct sn_trace_event *ev)
{
    if (ev->ev.op == SN_EV_NONE)
        return NULL;
    if (t->binary->left == 0)
        return "block has more events than it says";
    if (ev->site > t->tables.nsites)
        return "event at a site that is not in the table";
    return NULL;
}

int sn_binary_reader_next(struct sn_trace *t, struct sn_trace_event *ev)
{
    struct sn_binary_reader *r = t->binary;
    struct sn_table_item item;
    while (!r->finished) {
        int got = r->decoder.at ? sn_decode_next(&r->decoder, ev, &item) : SN_DECODED_END;
        if (got < 0)
            return damaged(t, r->decoder.why);
        if (got == SN_DECODED_TABLE && keep_table(t, &item))
            return damaged(t, "table entry out of order");
        if (got == SN_DECODED_EVENT) {
            const char *why = check_event(t, ev);
            if (why)
                return damaged(t, why);
            bool counts = ev->ev.op != SN_EV_NONE;
            r->left -= counts;
            r->events += counts;
            return 1;
        }
        if (got != SN_DECODED_END)
            continue;
        if (r->left)
            return damaged(t, "block has fewer events than it says");
        int more = next_block(t);
        if (more <= 0)
            return more;
    }
    return 0;
}
