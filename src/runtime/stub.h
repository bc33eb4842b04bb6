/*
 * stub.h: stubs that lead a call to the engine's two halves, and the slots of modules that hold
 * them. One thread at a time.
 */
#ifndef SN_RUNTIME_STUB_H
#define SN_RUNTIME_STUB_H

#include <stdbool.h>
#include <stdint.h>

#include "core/engine.h"

struct sn_elf;

/* What a stub stands for; 64 KiB of stubs are made at once, and used as they are needed. */
struct sn_stub {
    uintptr_t target; /* the real function */
    uint32_t entry;   /* index of the contract's entry */
    uint16_t is_long; /* 1: the engine is told when the call returns */
    uint16_t is_copy; /* 1: of a library in a namespace of its own */
};

#define SN_MAX_STUBS 4096

extern struct sn_stub sn_stubs[SN_MAX_STUBS]; /* read by redirect_entry.S */
/* The two halves, and what the program gets for a symbol that it has looked up. */
bool sn_stub_init(int (*fast)(struct sn_call *), void (*slow)(struct sn_call *, int),
                  uintptr_t (*found)(const char *name, uintptr_t real));
extern void (*sn_redirect_leave)(struct sn_call *)
    __attribute__((visibility("hidden"))); /* null: nobody is told of returns */
/* The stub for this target and entry; 0: none is left. */
uintptr_t sn_stub_for(struct sn_stub want);
bool sn_is_stub(uintptr_t p);
/* What the slots of dlsym and dlvsym are to hold; 0: it is neither. */
uintptr_t sn_stub_special(const char *name);
/* The slot's page may be read-only. */
void sn_slot_set(const struct sn_elf *m, uintptr_t *slot, uintptr_t value);

#endif
