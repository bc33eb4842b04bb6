/*
 * record.h: the engine's own records in the run file (SN_REC_ENGINE): what was learned, written the
 * moment it is seen for the first time, so that a killed server has taught something too.
 */
#ifndef SN_GUARD_RECORD_H
#define SN_GUARD_RECORD_H

#include <stdint.h>

#include "core/runfile.h"

enum sn_guard_record {
    SN_GUARD_REC_PAIR = 0x4101, /* struct sn_guard_rec_pair */
    SN_GUARD_REC_COUNTS,        /* an area: SN_GUARD_COUNTS × struct sn_guard_count */
    SN_GUARD_REC_VIOLATION,     /* struct sn_guard_rec_violation */
    SN_GUARD_REC_TIME,          /* struct sn_guard_rec_time, at the end of the process */
    SN_GUARD_REC_SPEED,         /* the same, of a process whose accesses were only counted */
};

enum sn_guard_pair {
    SN_GUARD_REMOTE = 1, /* pred is the remote predecessor of site: a member of its belonging set */
    SN_GUARD_LOCAL,      /* pred came right before, by the same thread; 0: nobody came before */
    SN_GUARD_LOCK,       /* pred is where the thread took the first lock that it holds at site */
    SN_GUARD_CHOSEN,     /* site accessed what SNAG_INS_THIS_ADDR named; pred is 0 */
    SN_GUARD_DOUBT, /* as SN_GUARD_REMOTE, but the accesses may have come the other way round */
    SN_GUARD_ENTER, /* another thread came right before site; pred is 0 */
};

struct sn_guard_rec_pair {
    uint32_t kind, zero; /* the record's */
    uint32_t what;       /* enum sn_guard_pair */
    uint32_t pad;
    sn_frame_ref site, pred; /* pred 0: nil */
};

enum { SN_GUARD_COUNTS = 1024 };

struct sn_guard_count {
    sn_frame_ref site; /* 0: not in use */
    uint64_t count;    /* accesses */
};

struct sn_guard_rec_time {
    uint32_t kind, zero;
    uint64_t user_us, system_us; /* processor time of the process */
    uint64_t accesses;           /* in it, as they are counted in learning; only where they were */
};

struct sn_guard_rec_violation {
    uint32_t kind, zero;
    uint32_t resolved; /* 1: the stall has made it right */
    uint32_t ms;       /* of stall */
    sn_frame_ref site, pred;
};

#endif
