/*
 * stub.h: stubs that lead a call to the engine's two halves, and the slots of modules that hold
 * them.
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
    uint16_t is_long; /* 1: the engine is told when the call returns; 2: and arguments may be on the
                         stack */
    uint8_t is_copy;  /* 1: of a library in a namespace of its own */
    uint8_t is_order; /* 1: library.c's, whatever the engine has */
};

#define SN_MAX_STUBS 4096

extern struct sn_stub sn_stubs[SN_MAX_STUBS]; /* read by redirect_entry.S */
/* The two halves, and what the program gets for a symbol that it has looked up. library.c's give way
 * to an engine's, which lead what is_order to them. */
bool sn_stub_init(int (*fast)(struct sn_call *), void (*slow)(struct sn_call *, int),
                  uintptr_t (*found)(const char *name, uintptr_t real));
extern void (*sn_redirect_leave)(struct sn_call *)
    __attribute__((visibility("hidden"))); /* null: nobody is told of returns */
/* The stub for this target and entry; 0: none is left. Any thread. */
uintptr_t sn_stub_for(struct sn_stub want);
bool sn_is_stub(uintptr_t p);
/* What it stands for, if it is a stub; else p itself. */
uintptr_t sn_stub_target(uintptr_t p);
bool sn_stub_is_order(uintptr_t p);

/* Where long calls return to, in redirect_entry.S. */
extern const char sn_redirect_returned[] __attribute__((visibility("hidden")));
extern const char sn_redirect_returned_many[] __attribute__((visibility("hidden")));
#define SN_STACK_WORDS 32 /* as redirect_entry.S has it */

/* The call's site: a stub may have been called by a stub. */
static inline uintptr_t sn_call_site(const struct sn_call *c)
{
    if (__builtin_expect(c->pc == (uintptr_t)sn_redirect_returned, 0))
        return (c + 1)->pc;
    if (__builtin_expect(c->pc == (uintptr_t)sn_redirect_returned_many, 0))
        return ((const struct sn_call *)((const uint64_t *)(c + 1) + SN_STACK_WORDS))->pc;
    return c->pc;
}
/* What the slots of dlsym and dlvsym are to hold; 0: it is neither. */
uintptr_t sn_stub_special(const char *name);
/* The slot's page may be read-only. */
void sn_slot_set(const struct sn_elf *m, uintptr_t *slot, uintptr_t value);

#endif
