/* record.h: the engine's own records in the run file (SN_REC_ENGINE); read by cmd/trapset.c. */
#ifndef SN_TSVD_RECORD_H
#define SN_TSVD_RECORD_H

#include <stdint.h>

#include "core/runfile.h"

#define SN_TSVD_NAME 64

enum sn_tsvd_record { SN_TSVD_REC_PAIR = 1, SN_TSVD_REC_POINT = 2, SN_TSVD_REC_STATE = 3 };

/* A place: where the call returns to, and which function is called. */
struct sn_tsvd_place {
    sn_frame_ref frame;
    char name[SN_TSVD_NAME]; /* with its zero; cut when longer */
};

/* What became of a pair; the last record of a pair counts. */
struct sn_tsvd_rec_pair {
    uint32_t kind, zero;
    uint32_t state; /* enum sn_pair_state */
    uint32_t pad;
    struct sn_tsvd_place a, b;
};

/* Hidden state was written while there were several threads. */
struct sn_tsvd_rec_state {
    uint32_t kind, zero;
    char name[SN_TSVD_NAME]; /* "LIBRARY STATE" */
};

/* Coverage. */
struct sn_tsvd_rec_point {
    uint32_t kind, zero;
    uint32_t concurrent; /* 1: reached in a concurrent phase */
    uint32_t delays;
    struct sn_tsvd_place place;
};

#endif
