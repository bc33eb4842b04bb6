/*
 * encode.h: events into blocks of the binary form, in a buffer of the caller. No malloc, no stdio,
 * no system call: the same code runs in the program under test and in the command.
 *
 *     sn_encode_begin(e, buffer, SN_BLOCK_BYTES, 0);
 *     sn_encode_ops(e);                                 // once per trace
 *     while (…)
 *         if (sn_encode_event(e, ev) == -ENOSPC) {
 *             write(fd, buffer, sn_encode_end(e));
 *             sn_encode_begin(e, buffer, SN_BLOCK_BYTES, e->first + e->events);
 *             sn_encode_event(e, ev);                   // fits an empty block, or -E2BIG
 *         }
 *
 * A failed call leaves the block as it was.
 */
#ifndef SN_TRACE_ENCODE_H
#define SN_TRACE_ENCODE_H

#include "trace/format.h"
#include "trace/trace.h"

struct sn_encoder {
    uint8_t *buffer;
    uint32_t capacity, used;
    uint32_t events;
    uint64_t first;
    struct sn_trace_model model;
};

/* The head of a file: SN_TRACE_HEAD_BYTES at `out`. */
void sn_encode_head(uint8_t *out);
void sn_encode_begin(struct sn_encoder *e, void *buffer, uint32_t capacity, uint64_t first);
int sn_encode_ops(struct sn_encoder *e);
/* 0; -ENOSPC: the block is full; -E2BIG: too large for any block of this capacity. */
int sn_encode_event(struct sn_encoder *e, const struct sn_trace_event *ev);
/* An enter-code that ends the thread's last leave-code, in short. 0: it cannot be said so, or does
 * not fit; nothing is done then. */
int sn_encode_back(struct sn_encoder *e, uint32_t thread, uint32_t site, uint64_t callee);
int sn_encode_site(struct sn_encoder *e, uint32_t number, const struct sn_trace_site *s);
int sn_encode_module(struct sn_encoder *e, uint32_t number, const struct sn_trace_module *m);
int sn_encode_name(struct sn_encoder *e, const struct sn_trace_name *n);
/* Fills the head in; returns the bytes of the whole block, 0 when nothing is in it. */
uint32_t sn_encode_end(struct sn_encoder *e);
/* A block of kind SN_BLOCK_END for a trace of `events` events, at `out` (32 bytes). */
void sn_encode_last(uint8_t *out, uint64_t events);

#endif
