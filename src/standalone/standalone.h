/*
 * standalone.h: the guard runtime that `snag guard build` puts into a program. It is linked as a
 * module without any relocation, so that it works at whatever place of the program it is copied to,
 * and it needs no library: the program does not depend on snag any more.
 *
 * struct sn_sa_config is filled by the rewriter; all its references are distances from itself.
 * SN_REC_NARROW is the runtime for programs with few sites (engine/guard/word.h).
 */
#ifndef SN_STANDALONE_H
#define SN_STANDALONE_H

#include <stdint.h>

/* A program header of this type says where the configuration of the main program is: libraries find
 * the recorder there, which all modules share. */
#define SN_SA_PHDR 0x6a736e67

enum sn_sa_kind {
    SN_SA_FIXED, /* the first argument is an address; one word of the recorder */
    SN_SA_RANGE, /* (address, bytes) */
    SN_SA_SET,   /* memset: (address, c, bytes) */
    SN_SA_COPY,  /* memcpy: (to, from, bytes) */
    SN_SA_FREE,  /* (address) */
    SN_SA_LIGHT, /* as SN_SA_FIXED; it is checked, but not recorded */
    SN_SA_STAYS, /* as SN_SA_FIXED; not recorded again when another thread comes there */
};

enum { SN_SA_NEAR = 6, SN_SA_NEAR_BITS = 32 * SN_SA_NEAR };

/* What an access looks at: half a cache line. Sites are numbered so that those that share memory
 * are neighbours; the part of the belonging set that fits is a row of bits. */
struct sn_sa_site {
    uint8_t kind;  /* enum sn_sa_kind */
    uint8_t reads; /* it writes nothing */
    uint8_t plain; /* it reads, is recorded, and begins no write (light.c) */
    uint8_t nil;   /* is in the belonging set */
    uint32_t base; /* the site of the first bit */
    uint32_t near[SN_SA_NEAR];
};

/* The rest of it. */
struct sn_sa_more {
    uint32_t first, count; /* belonging set, in the members: all of it */
    uint32_t name;         /* in the strings */
    uint32_t after;        /* from there a thread comes without being asked (usual.c) */
};

/* Who may come after whom, for programs with few recorded sites (word.h): row `pred` has bit `site`
 * when `pred` is in the belonging set of `site`. A thread has the same remote predecessor for a
 * while, so one or two lines answer for all that it does with an object. */
enum { SN_SA_ROW = 128 }; /* bytes */

/* Calls of plain accesses go straight to the runtime, which finds their site by where they return
 * to: another jump on the way to it costs more than a look at memory, which is not waited for. An
 * entry for every 4 bytes of code: no call is that short. */
#ifdef SN_REC_NARROW
typedef uint16_t sn_sa_index;
#else
typedef uint32_t sn_sa_index;
#endif
enum { SN_SA_CODE_BITS = 2 };

/* The first line is what every access looks at. */
struct sn_sa_config {
    const struct sn_sa_state *ready; /* null until the recorder is found and it is known where a
                                        thread's number stands */
    int64_t index;                   /* of the entry for a call that returns to the configuration */
    int64_t rows;
    int64_t sites, more, members, strings; /* distances; 0: nothing is guarded */
    uint32_t nsites, is_library;
    uint32_t step_us, steps, budget_ms;
    uint32_t lib_folder; /* of guarded libraries, beside the program; in the strings, 0: none */
};

#endif
