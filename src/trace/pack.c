/* pack.c: a recording, block by block; see pack.h. */
#include "trace/pack.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "trace/tail.h"

struct packing {
    FILE *in, *out;
    int level;
    uint8_t *payload, *packed;
    size_t packed_bytes;
};

static int put(struct packing *p, const void *data, size_t bytes)
{
    return fwrite(data, 1, bytes, p->out) == bytes ? 0 : errno ? -errno : -EIO;
}

static int put_block(struct packing *p, struct sn_block_head *h)
{
    const uint8_t *payload = p->payload;
    size_t n = p->level && h->kind == SN_BLOCK_RECORDS && h->raw
                   ? ZSTD_compress(p->packed, p->packed_bytes, p->payload, h->raw, p->level)
                   : h->raw;
    if (!ZSTD_isError(n) && n < h->raw) {
        h->codec = SN_CODEC_ZSTD;
        h->stored = (uint32_t)n;
        payload = p->packed;
    }
    h->crc = sn_block_crc(h, payload);
    int r = put(p, h, sizeof *h);
    return r ? r : put(p, payload, h->stored);
}

static bool is_block(const struct sn_block_head *h)
{
    return h->magic == SN_BLOCK_MAGIC && h->codec == SN_CODEC_RAW && h->stored == h->raw &&
           h->raw <= SN_BLOCK_BYTES;
}

/* A block that was not written to its end, or not soundly, ends the trace. */
static int copy_blocks(struct packing *p)
{
    struct sn_block_head h;
    int r = 0;
    while (!r && fread(&h, 1, sizeof h, p->in) == sizeof h && is_block(&h) &&
           fread(p->payload, 1, h.raw, p->in) == h.raw && sn_block_crc(&h, p->payload) == h.crc)
        r = put_block(p, &h);
    return r;
}

static int put_tail(struct packing *p, const struct sn_trace_tail *t)
{
    uint32_t used = (uint32_t)t->filled, head = (uint32_t)sizeof(struct sn_block_head);
    if (t->closed || used <= head || used > SN_BLOCK_BYTES)
        return 0;
    struct sn_block_head h = {.magic = SN_BLOCK_MAGIC,
                              .stored = used - head,
                              .raw = used - head,
                              .events = (uint32_t)(t->filled >> 32),
                              .first = t->first};
    memcpy(p->payload, t->block + head, h.raw);
    return put_block(p, &h);
}

static int copy_tail(struct packing *p, const char *path)
{
    struct sn_trace_tail *t = malloc(sizeof *t);
    size_t n = strlen(path) + sizeof SN_TRACE_TAIL_SUFFIX;
    char *name = malloc(n);
    int r = t && name ? 0 : -ENOMEM;
    if (!r) {
        snprintf(name, n, "%s%s", path, SN_TRACE_TAIL_SUFFIX);
        FILE *in = fopen(name, "re");
        if (in && fread(t, 1, sizeof *t, in) == sizeof *t)
            r = put_tail(p, t);
        if (in)
            fclose(in);
    }
    free(name);
    free(t);
    return r;
}

static int copy_head(struct packing *p)
{
    uint8_t head[SN_TRACE_HEAD_BYTES];
    if (fread(head, 1, sizeof head, p->in) != sizeof head || memcmp(head, SN_TRACE_MAGIC, 8) != 0)
        return -EBADMSG;
    return put(p, head, sizeof head);
}

int sn_trace_pack(const char *path, FILE *out, int level)
{
    struct packing p = {.in = fopen(path, "re"), .out = out, .level = level};
    if (!p.in)
        return -errno;
    p.packed_bytes = ZSTD_compressBound(SN_BLOCK_BYTES);
    p.payload = malloc(SN_BLOCK_BYTES);
    p.packed = malloc(p.packed_bytes);
    int r = p.payload && p.packed ? copy_head(&p) : -ENOMEM;
    if (!r)
        r = copy_blocks(&p);
    if (!r)
        r = copy_tail(&p, path);
    free(p.payload);
    free(p.packed);
    fclose(p.in);
    return r;
}
