/*
 * word.h: recorder[M] of the paper's Algorithm 1 in one word: the last access to M, its thread, and
 * the last access by another thread than that. Pure functions, also used by the runtime that
 * `snag guard build` puts into programs. The word 0 is "never accessed"; site 0 is nil.
 *
 * Guarded programs with few sites have words of half the size (SN_REC_NARROW): the recorder of a
 * cache line of the program is a cache line, too.
 */
#ifndef SN_GUARD_WORD_H
#define SN_GUARD_WORD_H

#include <stdint.h>

/* Thread numbers beyond THREAD_BITS start anew: threads 16 million (4096) apart look alike. */
#ifdef SN_REC_NARROW
typedef uint32_t sn_rec_word;
enum { SN_REC_SITE_BITS = 10, SN_REC_THREAD_BITS = 12 };
#else
typedef uint64_t sn_rec_word;
enum { SN_REC_SITE_BITS = 20, SN_REC_THREAD_BITS = 24 };
#endif
enum { SN_REC_MAX_SITES = 1 << SN_REC_SITE_BITS };

static inline sn_rec_word sn_rec_pack(uint32_t last, uint32_t before, uint32_t thread)
{
    return (sn_rec_word)last | (sn_rec_word)before << SN_REC_SITE_BITS |
           (sn_rec_word)thread << (2 * SN_REC_SITE_BITS);
}

static inline uint32_t sn_rec_last(sn_rec_word w)
{
    return (uint32_t)w & (SN_REC_MAX_SITES - 1);
}

static inline uint32_t sn_rec_before(sn_rec_word w)
{
    return (uint32_t)(w >> SN_REC_SITE_BITS) & (SN_REC_MAX_SITES - 1);
}

static inline uint32_t sn_rec_thread(sn_rec_word w)
{
    return (uint32_t)(w >> (2 * SN_REC_SITE_BITS));
}

static inline uint32_t sn_rec_thread_of(uint32_t number)
{
    return number & ((1u << SN_REC_THREAD_BITS) - 1);
}

/* GetRPre: what an access by `thread` now would have as its remote predecessor. */
static inline uint32_t sn_rec_rpre(sn_rec_word w, uint32_t thread)
{
    if (!w)
        return 0;
    return sn_rec_thread(w) != thread ? sn_rec_last(w) : sn_rec_before(w);
}

/* UpdateRecorder. */
static inline sn_rec_word sn_rec_next(sn_rec_word w, uint32_t site, uint32_t thread)
{
    return sn_rec_pack(site, sn_rec_rpre(w, thread), thread);
}

/* Is `pred` in the sorted set? Sets are small. */
static inline int sn_rec_is_member(const uint32_t *set, uint32_t n, uint32_t pred)
{
    while (n > 8) {
        uint32_t half = n / 2;
        if (set[half] <= pred) {
            set += half;
            n -= half;
        } else {
            n = half;
        }
    }
    for (uint32_t i = 0; i < n; i++)
        if (set[i] == pred)
            return 1;
    return 0;
}

#endif
