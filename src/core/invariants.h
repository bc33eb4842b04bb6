/*
 * invariants.h: anticipating invariants as the runtime reads them, a file in the run folder: struct
 * sn_inv_head, then the modules, the sites (sorted by module and offset), the members of all
 * belonging sets. Site numbers count from 1; member 0 is nil.
 */
#ifndef SN_CORE_INVARIANTS_H
#define SN_CORE_INVARIANTS_H

#include <stdint.h>

#define SN_INV_FILE "invariants.bin"
#define SN_INV_MAGIC 0x31564e49474e53ull /* "SNGINV1" */
#define SN_INV_MODULE_BYTES 120

enum sn_inv_flag {
    SN_INV_GUARDED = 1, /* has a belonging set: checked and recorded */
    SN_INV_STALL = 2,   /* expose: stall here, before the access or the lock */
};

struct sn_inv_head {
    uint64_t magic;
    uint32_t nmodules, nsites, nmembers;
    uint32_t pad;
};

struct sn_inv_module {
    char name[SN_INV_MODULE_BYTES]; /* base name of its file, with its zero */
};

struct sn_inv_site {
    uint64_t offset; /* return address, ELF virtual address */
    uint32_t module;
    uint32_t flags;        /* enum sn_inv_flag */
    uint32_t first, count; /* its belonging set: members[first … first + count), sorted */
};

#endif
