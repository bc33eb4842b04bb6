/*
 * trace.c: fuzz target: any bytes as a trace, in either form. Whatever is read must also print, and
 * pack into the binary form again.
 *
 * SOURCES: src/trace/binary.c src/trace/crc.c src/trace/decode.c src/trace/encode.c src/trace/pack.c
 * SOURCES: src/trace/print.c src/trace/reader.c src/trace/tables.c src/trace/text.c src/trace/writer.c
 * SOURCES: src/core/event.c
 * LIBS: -lzstd
 *
 * The checksum guards the decoder, so the target mends it first: damage behind a right checksum
 * must be survived too.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "trace/format.h"
#include "trace/stream.h"
#include "trace/text.h"
#include "trace/writer.h"

static void mend(uint8_t *data, size_t size)
{
    struct sn_block_head h;
    size_t at = SN_TRACE_HEAD_BYTES;
    uint64_t first = 0;
    while (at + sizeof h <= size) {
        memcpy(&h, data + at, sizeof h);
        h.magic = SN_BLOCK_MAGIC;
        h.codec = h.kind = 0;
        h.zero = 0;
        if (h.stored > size - at - sizeof h)
            h.stored = (uint32_t)(size - at - sizeof h);
        h.raw = h.stored;
        h.first = first;
        first += h.events;
        h.crc = sn_block_crc(&h, data + at + sizeof h);
        memcpy(data + at, &h, sizeof h);
        at += sizeof h + h.stored;
    }
}

static void read_all(uint8_t *data, size_t size)
{
    static FILE *null;
    struct sn_trace *t = NULL;
    struct sn_trace_writer *w;
    struct sn_trace_event ev;
    char *why = NULL;
    if (!null)
        null = fopen("/dev/null", "w");
    FILE *in = fmemopen(data, size, "r");
    if (in && sn_trace_open_stream(in, "fuzz", &t, &why) == 0 &&
        sn_trace_writer_new(null, 0, &w) == 0) {
        while (sn_trace_next(t, &ev) > 0) {
            sn_trace_print_event(null, t, &ev);
            sn_trace_write(w, &ev);
        }
        sn_trace_print_tables(null, t);
        sn_trace_writer_end(w);
    }
    sn_trace_close(t);
    free(why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    uint8_t *copy = malloc(size);
    memcpy(copy, data, size);
    read_all(copy, size);
    if (size > SN_TRACE_HEAD_BYTES && memcmp(data, SN_TRACE_MAGIC, 8) == 0) {
        mend(copy, size);
        read_all(copy, size);
    }
    free(copy);
    return 0;
}
