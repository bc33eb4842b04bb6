/*
 * runmake.h: run files made in memory, for unit tests and for the fuzzer's first corpus. Lays
 * records out as core/runfile.h says, independently of the reader.
 *
 *     struct runmake m = runmake_begin("race", "/bin/prog");
 *     runmake_module(&m, 0, "/bin/prog", …);
 *     size_t r = runmake_record(&m, SN_REC_FINDING);   … runmake_put(&m, …) …
 *     runmake_end(&m, r);
 *     size_t bytes = runmake_file(&m);                 m.data is the file
 */
#ifndef SN_STORE_RUNMAKE_H
#define SN_STORE_RUNMAKE_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/runfile.h"
#include "store/xalloc.h"

struct runmake {
    uint8_t *data;
    size_t bytes, cap;
};

static inline void *runmake_put(struct runmake *m, const void *from, size_t bytes)
{
    while (m->bytes + bytes + 8 > m->cap) {
        size_t cap = m->cap ? m->cap * 2 : 16384;
        m->data = sn_xrealloc(m->data, cap, 1);
        memset(m->data + m->cap, 0, cap - m->cap);
        m->cap = cap;
    }
    void *at = m->data + m->bytes;
    if (from)
        memcpy(at, from, bytes);
    m->bytes += bytes;
    return at;
}

/* Up to the next multiple of 8. */
static inline void runmake_pad(struct runmake *m)
{
    runmake_put(m, &(uint64_t){0}, -m->bytes & 7);
}

static inline struct runmake runmake_begin(const char *engine, const char *exe)
{
    struct runmake m = {0};
    struct sn_run_header h = {.magic = SN_RUN_MAGIC,
                              .version = SN_RUN_VERSION,
                              .header_bytes = SN_RUN_HEADER_BYTES,
                              .pid = 100,
                              .state = SN_RUN_EXITED,
                              .instrumented = 1};
    snprintf(h.engine, sizeof h.engine, "%s", engine);
    memcpy(h.exe, exe, strnlen(exe, sizeof h.exe - 1));
    runmake_put(&m, &h, sizeof h);
    while (m.bytes < SN_RUN_HEADER_BYTES)
        runmake_put(&m, &(uint64_t){0}, 8);
    return m;
}

static inline struct sn_run_header *runmake_header(struct runmake *m)
{
    return (struct sn_run_header *)m->data;
}

/* Begins a record; its place is for runmake_end(). */
static inline size_t runmake_record(struct runmake *m, enum sn_rec_type type)
{
    struct sn_rec r = {.type = (uint16_t)type};
    size_t at = m->bytes;
    runmake_put(m, &r, sizeof r);
    return at;
}

static inline void runmake_end(struct runmake *m, size_t at)
{
    size_t payload_end = m->bytes;
    runmake_pad(m);
    struct sn_rec *r = (struct sn_rec *)(m->data + at);
    r->bytes = (uint32_t)(m->bytes - at);
    r->payload_slack = (uint16_t)(m->bytes - payload_end);
}

static inline size_t runmake_file(struct runmake *m)
{
    runmake_header(m)->reserved = m->bytes - SN_RUN_HEADER_BYTES;
    return m->bytes;
}

static inline void runmake_module(struct runmake *m, uint32_t index, const char *path,
                                  const void *build_id, uint32_t build_id_bytes, uint64_t base,
                                  uint64_t start, uint64_t end)
{
    struct sn_rec_module h = {
        .index = index, .build_id_bytes = build_id_bytes, .base = base, .start = start, .end = end};
    if (build_id_bytes)
        memcpy(h.build_id, build_id, build_id_bytes);
    size_t at = runmake_record(m, SN_REC_MODULE);
    runmake_put(m, &h, sizeof h);
    runmake_put(m, path, strlen(path));
    runmake_end(m, at);
}

static inline void runmake_message(struct runmake *m, const char *text)
{
    size_t at = runmake_record(m, SN_REC_MESSAGE);
    runmake_put(m, text, strlen(text));
    runmake_end(m, at);
}

/* A site inside a finding; the head's counts are set here. */
static inline void runmake_site(struct runmake *m, struct sn_rec_site h, const char *name,
                                const struct sn_rec_lock *locks, unsigned nlocks,
                                const sn_frame_ref *frames, unsigned nframes,
                                const sn_frame_ref *created, unsigned ncreated)
{
    h.name_bytes = (uint16_t)(name ? strlen(name) : 0);
    h.nlocks = (uint16_t)nlocks;
    h.nframes = (uint16_t)nframes;
    h.ncreated = (uint16_t)ncreated;
    runmake_put(m, &h, sizeof h);
    runmake_put(m, name, h.name_bytes);
    runmake_pad(m);
    runmake_put(m, locks, nlocks * sizeof *locks);
    runmake_put(m, frames, nframes * sizeof *frames);
    runmake_put(m, created, ncreated * sizeof *created);
}

/* The head of a finding, its words and its allocation stack; the sites follow. */
static inline size_t runmake_finding(struct runmake *m, struct sn_rec_finding h, const char *text,
                                     const sn_frame_ref *alloc, unsigned nalloc)
{
    size_t at = runmake_record(m, SN_REC_FINDING);
    h.text_bytes = (uint16_t)(text ? strlen(text) : 0);
    h.obj_nframes = (uint16_t)nalloc;
    runmake_put(m, &h, sizeof h);
    runmake_put(m, text, h.text_bytes);
    runmake_pad(m);
    runmake_put(m, alloc, nalloc * sizeof *alloc);
    return at;
}

static inline void runmake_edge(struct runmake *m, struct sn_rec_lock_edge h,
                                const struct sn_rec_lock *gates, const sn_frame_ref *from,
                                const sn_frame_ref *to, const uint32_t *clock)
{
    size_t at = runmake_record(m, SN_REC_LOCK_EDGE);
    runmake_put(m, &h, sizeof h);
    runmake_put(m, gates, h.ngates * sizeof *gates);
    runmake_put(m, from, h.nfrom * sizeof *from);
    runmake_put(m, to, h.nto * sizeof *to);
    runmake_put(m, clock, h.nclock * sizeof *clock);
    runmake_end(m, at);
}

/* A file with one of everything; module 0 is `exe`. */
static inline struct runmake runmake_sample(const char *exe)
{
    struct runmake m = runmake_begin("race", exe);
    sn_frame_ref stack[] = {SN_FRAME(0, 0x1010), SN_FRAME(0, 0x1100), SN_FRAME(SN_NO_MODULE, 0x77)};
    struct sn_rec_lock held = {
        .addr = 0x4040, .id = 7, .object = SN_FRAME(0, 0x4040), .taken = SN_FRAME(0, 0x1008)};
    struct sn_rec_lock heap = {.addr = 0x9000, .id = 8, .object = SN_FRAME(SN_NO_MODULE, 0x9000)};
    runmake_module(&m, 0, exe, "\1\2\3\4", 4, 0, 0x1000, 0x8000);
    struct sn_rec_finding race = {.kind = SN_KIND_DATA_RACE,
                                  .status = SN_OBSERVED,
                                  .object_kind = SN_OBJ_HEAP,
                                  .nsites = 2,
                                  .obj_addr = 0x9000,
                                  .obj_size = 64,
                                  .access_addr = 0x9008};
    size_t at = runmake_finding(&m, race, "words", stack, 2);
    struct sn_rec_site site = {.thread = 1,
                               .size = 4,
                               .addr = 0x9008,
                               .op = SN_OP_WRITE,
                               .locks_known = 1,
                               .creator_known = 1};
    runmake_site(&m, site, NULL, &held, 1, stack, 3, stack, 1);
    site.thread = 2;
    site.op = SN_OP_CALL;
    runmake_site(&m, site, "strtok", NULL, 0, stack + 1, 2, NULL, 0);
    runmake_end(&m, at);
    struct sn_rec_lock_edge edge = {.from = held,
                                    .to = heap,
                                    .thread = 1,
                                    .slot = 0,
                                    .epoch = 5,
                                    .ngates = 1,
                                    .nfrom = 2,
                                    .nto = 3,
                                    .nclock = 2};
    runmake_edge(&m, edge, &held, stack, stack, (uint32_t[]){5, 0});
    edge = (struct sn_rec_lock_edge){.from = heap,
                                     .to = held,
                                     .thread = 2,
                                     .slot = 1,
                                     .epoch = 4,
                                     .ngates = 1,
                                     .nfrom = 1,
                                     .nto = 1,
                                     .nclock = 2};
    runmake_edge(&m, edge, &heap, stack, stack, (uint32_t[]){1, 4});
    struct sn_rec_lock_info info = {
        .id = 8, .object_kind = SN_OBJ_HEAP, .nframes = 2, .addr = 0x9000};
    at = runmake_record(&m, SN_REC_LOCK_INFO);
    runmake_put(&m, &info, sizeof info);
    runmake_put(&m, stack, 2 * sizeof *stack);
    runmake_end(&m, at);
    runmake_message(&m, "a word from the runtime");
    return m;
}

#endif
