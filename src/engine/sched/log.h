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
    SN_SCHED_CHOICES = 0x15,
};

enum sn_log_kind {
    SN_LOG_END,
    SN_LOG_PREEMPT, /* thread could go on at point `count`, but `next` does */
    SN_LOG_FORCED,  /* thread could not go on */
    SN_LOG_CHOICE,  /* at its point `count` thread woke `next` */
    SN_LOG_TIMEOUT, /* `next` was woken before its time, or for no reason */
    SN_LOG_LIMIT,   /* the time limit of what `next` waits for was let pass */
};

struct sn_log_entry {
    uint8_t kind, op; /* enum sn_log_kind; enum sn_event_op of the thread's event */
    uint16_t choices; /* threads that could have gone on */
    uint32_t thread, count, next;
    uint64_t site; /* sn_frame_ref of the thread's event */
    uint64_t addr; /* of the event; with `count` in the plan: the how manieth time it was there */
    uint32_t
        process; /* 0: the program's first; else which fork has made it, see sn_sched.process */
    uint32_t zero;
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

enum sn_step_how {
    SN_STEP_DONE,
    SN_STEP_WAITS, /* the thread cannot go on here */
    SN_STEP_FAILS, /* what it tried to get is taken, or its time is over */
};

struct sn_log_step {
    uint64_t number; /* from 1; 0: no entry */
    uint8_t op;      /* enum sn_event_op */
    uint8_t how;     /* enum sn_step_how */
    uint16_t zero;
    uint32_t thread;
    uint64_t site;   /* sn_frame_ref */
    uint64_t object; /* sn_frame_ref of the address, or the other thread's number */
};

/* SN_SCHED_CHOICES: strategy dfs: every decision, arrays as SN_SCHED_LOG's. */
enum { SN_CHOICE_OBJECTS = 6 };

struct sn_log_object {
    uint64_t addr;
    uint32_t size, write;
};

struct sn_log_choice {
    uint8_t kind;         /* PREEMPT (or forced); CHOICE; 0 no entry */
    uint8_t can_stay;     /* to choose another one is a preemption */
    uint16_t nobjects;    /* SN_CHOICE_OBJECTS + 1: more than there is room for */
    uint32_t thread;      /* that stands at its point; UINT32_MAX: nobody */
    uint32_t count, next; /* as in sn_log_entry */
    uint32_t used, zero;  /* preemptions before */
    uint64_t eligible;    /* threads that could go on (or be woken), by number */
    uint64_t asleep;      /* of these: not chosen since that is known */
    uint64_t listed;      /* sleepers that nobody has woken yet */
    struct sn_log_object object[SN_CHOICE_OBJECTS]; /* what `next` touched up to its next point */
};

/* A thread that sleeps from the end of the prefix on, see dfs.c. */
struct sn_sleeper {
    uint32_t thread, nobjects;
    int64_t budget;
    struct sn_log_object object[SN_CHOICE_OBJECTS];
};

/* SN_SCHED_SUMMARY: at a regular end. */
struct sn_log_summary {
    uint64_t steps, switches, hits, lost, diverged, followed, planned, end_ns;
    uint64_t redundant; /* dfs: ended since the rest is known */
};

#endif
