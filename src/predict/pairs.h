/*
 * pairs.h: what could race: for each cell, the accesses of one thread at one site against those of
 * another thread at another (or the same) site. One finding for two sites is enough, so a pair of
 * groups is one question, however many events it has.
 */
#ifndef SN_PREDICT_PAIRS_H
#define SN_PREDICT_PAIRS_H

#include "predict/model.h"

struct sn_group {
    const uint32_t *event; /* in program order */
    uint32_t n;
    uint32_t thread, site; /* site: key, see sn_pairs_each() */
    uint8_t kind;          /* enum sn_touch_kind */
};

struct sn_group_pair {
    struct sn_group a, b;
    uint32_t cell;
};

static inline uint64_t sn_pair_key(uint32_t a, uint32_t b)
{
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

/* Calls `visit` for every pair of groups in conflict that the locks held do not already keep apart
 * (a common lock around every event of both). site_key gives sites of one source position one
 * number. Deterministic order. */
void sn_pairs_each(const struct sn_model *m, uint32_t (*site_key)(void *key_arg, uint32_t site),
                   void *key_arg, void (*visit)(void *arg, const struct sn_group_pair *p),
                   void *arg);

#endif
