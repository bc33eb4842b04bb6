/*
 * log.h: the schedule of an execution as it stands in the run file: SN_REC_ENGINE records of
 * sub-type SN_SCHED_LOG, each an array of entries that ends with the record or with an entry of
 * kind 0. It is written as decisions are made, so a crash loses nothing. The command reads it with
 * the same header.
 *
 * An entry is named by an event: thread and the number of its scheduling point. That does not
 * depend on addresses nor on time.
 */
#ifndef SN_ENGINE_SCHED_LOG_H
#define SN_ENGINE_SCHED_LOG_H

#include <stdint.h>

enum {
    SN_SCHED_LOG = 0x10,
    SN_SCHED_HIT = 0x11,
    SN_SCHED_SUMMARY = 0x12,
    SN_SCHED_SEEN = 0x13,
    SN_SCHED_STEPS = 0x14,
};

enum sn_log_kind {
    SN_LOG_END,
    SN_LOG_PREEMPT, /* thread could go on at point `count`, but `next` does */
    SN_LOG_FORCED,  /* thread could not go on */
    SN_LOG_CHOICE,  /* at its point `count` thread woke `next` */
    SN_LOG_TIMEOUT, /* a time limit of `next` was let pass */
};

struct sn_log_entry {
    uint8_t kind, op; /* enum sn_log_kind; enum sn_event_op of the thread's event */
    uint16_t choices; /* threads that could have gone on */
    uint32_t thread, count, next;
    uint64_t site; /* sn_frame_ref of the thread's event */
    uint64_t addr; /* of the event; with `count` in the plan: the how manieth time it was there */
};

/* SN_SCHED_HIT: two threads stood before conflicting accesses. */
struct sn_log_hit {
    uint64_t step;
    uint32_t thread[2];
    uint64_t site[2];
};

/* SN_SCHED_SEEN: a statement that ran. */
struct sn_seen {
    uint64_t site; /* sn_frame_ref */
    uint32_t op;   /* enum sn_event_op */
    uint32_t pad;
};

/* SN_SCHED_STEPS: what happened, when the plan asks for it: a ring of the last SN_STEPS events. */
enum { SN_STEPS = 8192 };

struct sn_log_step {
    uint64_t number; /* from 1; 0: no entry */
    uint8_t op;      /* enum sn_event_op */
    uint8_t waits;   /* the thread cannot go on here */
    uint16_t zero;
    uint32_t thread;
    uint64_t site;   /* sn_frame_ref */
    uint64_t object; /* sn_frame_ref of the address, or the other thread's number */
};

/* SN_SCHED_SUMMARY: at a regular end. */
struct sn_log_summary {
    uint64_t steps, switches, hits, lost, diverged, followed, planned, end_ns;
};

#endif
