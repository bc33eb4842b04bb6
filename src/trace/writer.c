/* writer.c: fills blocks by encode.c, packs each by zstd, writes it whole. */
#include "trace/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "trace/encode.h"

struct sn_trace_writer {
    FILE *out;
    int level;
    int failed;                     /* first failure */
    uint32_t sites, modules, names; /* taken over from a struct sn_trace so far */
    uint8_t *packed;
    size_t packed_bytes;
    struct sn_encoder encoder;
    uint8_t buffer[SN_BLOCK_BYTES];
};

static void put(struct sn_trace_writer *w, const void *data, size_t bytes)
{
    if (!w->failed && fwrite(data, 1, bytes, w->out) != bytes)
        w->failed = errno ? -errno : -EIO;
}

static void put_packed(struct sn_trace_writer *w, struct sn_block_head *h, size_t bytes)
{
    h->codec = SN_CODEC_ZSTD;
    h->stored = (uint32_t)bytes;
    h->crc = sn_block_crc(h, w->packed);
    put(w, h, sizeof *h);
    put(w, w->packed, bytes);
}

static void flush_block(struct sn_trace_writer *w)
{
    struct sn_encoder *e = &w->encoder;
    struct sn_block_head h;
    uint32_t bytes = sn_encode_end(e);
    if (bytes) {
        memcpy(&h, w->buffer, sizeof h);
        size_t n = w->level ? ZSTD_compress(w->packed, w->packed_bytes, w->buffer + sizeof h, h.raw,
                                            w->level)
                            : h.raw;
        if (!ZSTD_isError(n) && n < h.raw)
            put_packed(w, &h, n);
        else
            put(w, w->buffer, bytes);
    }
    sn_encode_begin(e, w->buffer, sizeof w->buffer, e->first + e->events);
}

int sn_trace_writer_new(FILE *out, int level, struct sn_trace_writer **writer)
{
    struct sn_trace_writer *w = calloc(1, sizeof *w);
    if (!w)
        return -ENOMEM;
    w->out = out;
    w->level = level;
    w->packed_bytes = ZSTD_compressBound(SN_BLOCK_BYTES);
    w->packed = malloc(w->packed_bytes);
    if (!w->packed) {
        free(w);
        return -ENOMEM;
    }
    uint8_t head[SN_TRACE_HEAD_BYTES];
    sn_encode_head(head);
    put(w, head, sizeof head);
    sn_encode_begin(&w->encoder, w->buffer, sizeof w->buffer, 0);
    w->failed = w->failed ? w->failed : sn_encode_ops(&w->encoder);
    *writer = w;
    return 0;
}

/* One record by `call`, in the next block when this one is full. */
#define WRITE(w, call)                                                                             \
    do {                                                                                           \
        int result = (w)->failed ? (w)->failed : (call);                                           \
        if (result == -ENOSPC) {                                                                   \
            flush_block(w);                                                                        \
            result = (w)->failed ? (w)->failed : (call);                                           \
        }                                                                                          \
        (w)->failed = result;                                                                      \
        return result;                                                                             \
    } while (0)

/* A set of ranges that no block can hold becomes "all memory": nothing is lost but sharpness. */
static int write_everything_reachable(struct sn_trace_writer *w, const struct sn_trace_event *ev)
{
    static const struct sn_trace_range all = {0, UINT64_MAX};
    struct sn_trace_event copy = *ev;
    copy.ranges = &all;
    copy.nranges = 1;
    copy.flags &= ~(uint32_t)SN_TRACE_ROOTS;
    WRITE(w, sn_encode_event(&w->encoder, &copy));
}

static int write_event(struct sn_trace_writer *w, const struct sn_trace_event *ev)
{
    WRITE(w, sn_encode_event(&w->encoder, ev));
}

int sn_trace_write(struct sn_trace_writer *w, const struct sn_trace_event *ev)
{
    int r = write_event(w, ev);
    if (r != -E2BIG || ev->ev.op != SN_EV_LEAVE_CODE)
        return r;
    w->failed = 0;
    return write_everything_reachable(w, ev);
}

int sn_trace_write_site(struct sn_trace_writer *w, uint32_t number, const struct sn_trace_site *s)
{
    WRITE(w, sn_encode_site(&w->encoder, number, s));
}

int sn_trace_write_module(struct sn_trace_writer *w, uint32_t number,
                          const struct sn_trace_module *m)
{
    WRITE(w, sn_encode_module(&w->encoder, number, m));
}

int sn_trace_write_name(struct sn_trace_writer *w, const struct sn_trace_name *n)
{
    WRITE(w, sn_encode_name(&w->encoder, n));
}

static void write_new_tables(struct sn_trace_writer *w, const struct sn_trace *t)
{
    while (w->modules < sn_trace_modules(t)) {
        sn_trace_write_module(w, w->modules, sn_trace_module(t, w->modules));
        w->modules++;
    }
    while (w->sites < sn_trace_sites(t)) {
        w->sites++;
        sn_trace_write_site(w, w->sites, sn_trace_site(t, w->sites));
    }
}

int sn_trace_write_all(struct sn_trace_writer *w, struct sn_trace *t)
{
    struct sn_trace_event ev;
    int r = 0;
    while (!w->failed && (r = sn_trace_next(t, &ev)) > 0) {
        write_new_tables(w, t);
        sn_trace_write(w, &ev);
    }
    /* Names are kept sorted, not in order of arrival: they are written once all are known. */
    write_new_tables(w, t);
    for (; w->names < sn_trace_names(t); w->names++)
        sn_trace_write_name(w, sn_trace_name(t, w->names));
    return r < 0 ? r : w->failed;
}

int sn_trace_writer_end(struct sn_trace_writer *w)
{
    uint8_t last[sizeof(struct sn_block_head)];
    flush_block(w);
    sn_encode_last(last, w->encoder.first);
    put(w, last, sizeof last);
    if (!w->failed && fflush(w->out))
        w->failed = -errno;
    int r = w->failed;
    free(w->packed);
    free(w);
    return r;
}
