/*
 * fast.h: what fast.c, inside the program, needs of the library: the names that every libsnag-*.so
 * exports for it. Programs carry fast.c as it was when they were linked, so a change of what these
 * mean (struct sn_race_hot, the shadow's layout, the call frames) is a new SONAME.
 */
#ifndef SN_FAST_FAST_H
#define SN_FAST_FAST_H

#include <stdint.h>

/* An access whose granule the first look has found, but no trace of the access. */
struct sn_granule;
#define SN_FAST_SIZE(size)                                                                         \
    void snag_read##size(uintptr_t addr, uintptr_t pc, struct sn_granule *g);                      \
    void snag_write##size(uintptr_t addr, uintptr_t pc, struct sn_granule *g);
SN_FAST_SIZE(1)
SN_FAST_SIZE(2)
SN_FAST_SIZE(4)
SN_FAST_SIZE(8)

/* One of 1, 2 or 4 bytes, those of `mask`, whose field (engine/race/fields.h) was found too, among
 * those at that address. */
struct sn_field;
void snag_read_field(uintptr_t addr, uintptr_t pc, struct sn_granule *g, struct sn_field *f,
                     uintptr_t at, unsigned mask);
void snag_write_field(uintptr_t addr, uintptr_t pc, struct sn_granule *g, struct sn_field *f,
                      uintptr_t at, unsigned mask);
/* A read of those of `mask`, of a granule with fields whose reads threads keep for themselves
 * (engine/race/kept.h). */
void snag_read_kept(uintptr_t addr, uintptr_t pc, struct sn_granule *g, unsigned mask);

/* An access of which the first look found no trace, wherever its bytes are. */
#define SN_FAST_UNALIGNED(size)                                                                    \
    void snag_unaligned_read##size(uintptr_t addr, uintptr_t pc);                                  \
    void snag_unaligned_write##size(uintptr_t addr, uintptr_t pc);
SN_FAST_UNALIGNED(2)
SN_FAST_UNALIGNED(4)
SN_FAST_UNALIGNED(8)
SN_FAST_UNALIGNED(16)

/* Function entry and exit as the engine has them. */
void snag_call(uintptr_t caller, uintptr_t rsp, uintptr_t rbp);
void snag_return(void);

#endif
