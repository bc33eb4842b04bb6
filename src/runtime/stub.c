/*
 * stub.c: stubs, `push index; jmp sn_redirect_entry`, and the slots that are set to them. What a
 * stub stands for is in sn_stubs; redirect_entry.S looks there and calls the engine. A slot in a
 * page that RELRO has made read-only is opened for the moment of the write.
 */
#include "runtime/stub.h"

#include <cpuid.h>
#include <string.h>
#include <sys/mman.h>

#include "core/spin.h"
#include "core/sys.h"
#include "runtime/elf_module.h"
#include "runtime/library.h"
#include "runtime/real.h"

enum { STUB_BYTES = 16, STUBS_AT = 4096 };

struct sn_stub sn_stubs[SN_MAX_STUBS] SN_LARGE;

/* redirect_entry.S */
void sn_redirect_entry(void) __attribute__((visibility("hidden")));
void sn_dlsym_entry(void) __attribute__((visibility("hidden")));
void sn_dlvsym_entry(void) __attribute__((visibility("hidden")));
int (*sn_redirect_fast)(struct sn_call *) __attribute__((visibility("hidden")));
void (*sn_redirect_slow)(struct sn_call *, int) __attribute__((visibility("hidden")));
void (*sn_redirect_leave)(struct sn_call *) __attribute__((visibility("hidden")));
uint64_t sn_redirect_xsave_bytes __attribute__((visibility("hidden")));
uint32_t sn_redirect_xsave_mask __attribute__((visibility("hidden")));
uint32_t sn_redirect_by_moves __attribute__((visibility("hidden"))); /* 1: XGETBV 1 is there */
void *(*sn_real_dlsym)(void *, const char *)__attribute__((visibility("hidden")));
void *(*sn_real_dlvsym)(void *, const char *, const char *)__attribute__((visibility("hidden")));
void *sn_redirect_dlsym(void *handle, const char *name) __attribute__((visibility("hidden")));
void *sn_redirect_dlvsym(void *handle, const char *name, const char *version)
    __attribute__((visibility("hidden")));

static char *stubs; /* code; the first word of the area is the address of sn_redirect_entry */
static uint32_t nstubs;
static uint32_t stub_of[SN_MAX_STUBS * 2] SN_LARGE; /* hash of (target, entry): 1 + index */

int sn_redirect_personality(int version, int actions, uint64_t type, void *exception, void *context)
    __attribute__((visibility("hidden")));

/* The unwinder comes to a long call, which is the only thing that stands on the stack from here: no
 * handler, but the engine is told. Frames go from the inside to the outside. */
int sn_redirect_personality(int version, int actions, uint64_t type, void *exception, void *context)
{
    enum { CLEANUP_PHASE = 2, CONTINUE_UNWIND = 8 };
    (void)version, (void)type, (void)exception, (void)context;
    if ((actions & CLEANUP_PHASE) && sn_engine_call_unwound)
        sn_engine_call_unwound();
    else if (actions & CLEANUP_PHASE)
        sn_library_unwound();
    return CONTINUE_UNWIND;
}

/* The processor tells which vector state is in use, and all of it can be moved. */
static bool can_move(unsigned enabled)
{
    enum { XGETBV_1 = 1 << 2, AVX = 1 << 2, AVX512 = 7 << 5, BW = 1 << 30 };
    unsigned a, b, c, d;
    if (!__get_cpuid_count(0xd, 1, &a, &b, &c, &d) || !(a & XGETBV_1) || !(enabled & AVX))
        return false;
    return !(enabled & AVX512) || (__get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & BW));
}

/* AVX state that functions may take arguments in; AMX tiles are left out. */
static void find_vector_state(void)
{
    enum { WANTED = 0xe7, OSXSAVE = 1 << 27 };
    unsigned a, b, c = 0, d, low, high;
    sn_redirect_xsave_bytes = 4096;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & OSXSAVE))
        return;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    sn_redirect_xsave_mask = low & WANTED;
    sn_redirect_by_moves = can_move(low);
    if (__get_cpuid_count(0xd, 0, &a, &b, &c, &d) && b > 4096)
        sn_redirect_xsave_bytes = (b + 63) & ~63u;
}

static bool make_stubs(void)
{
    size_t bytes = STUBS_AT + SN_MAX_STUBS * STUB_BYTES;
    char *area = sn_map(bytes);
    if (!area)
        return false;
    *(void **)area = (void *)sn_redirect_entry;
    char *first = area + STUBS_AT;
    for (uint32_t i = 0; i < SN_MAX_STUBS; i++) {
        unsigned char code[STUB_BYTES] = {0xf3, 0x0f, 0x1e, 0xfa, 0x68, 0, 0, 0, 0, 0xff, 0x25};
        char *at = first + i * STUB_BYTES;
        int32_t to_entry = (int32_t)(area - (at + 15));
        memcpy(code + 5, &i, 4);
        memcpy(code + 11, &to_entry, 4);
        memcpy(at, code, sizeof code);
    }
    if (sn_sys3(SYS_mprotect, area, bytes, PROT_READ | PROT_EXEC) != 0)
        return false;
    stubs = first;
    return true;
}

bool sn_is_stub(uintptr_t p)
{
    return stubs && p - (uintptr_t)stubs < SN_MAX_STUBS * STUB_BYTES;
}

uintptr_t sn_stub_target(uintptr_t p)
{
    while (sn_is_stub(p))
        p = sn_stubs[(p - (uintptr_t)stubs) / STUB_BYTES].target;
    return p;
}

bool sn_stub_is_order(uintptr_t p)
{
    return sn_is_stub(p) && sn_stubs[(p - (uintptr_t)stubs) / STUB_BYTES].is_order;
}

static uintptr_t find_or_make(struct sn_stub want)
{
    uint32_t mask = SN_MAX_STUBS * 2 - 1;
    uint32_t h = (uint32_t)(want.target >> 4) * 0x9e3779b1u + want.entry;
    for (;; h++) {
        uint32_t i = stub_of[h & mask];
        if (i && sn_stubs[i - 1].target == want.target && sn_stubs[i - 1].entry == want.entry &&
            sn_stubs[i - 1].is_order == want.is_order)
            return (uintptr_t)stubs + (i - 1) * STUB_BYTES;
        if (i)
            continue;
        if (nstubs == SN_MAX_STUBS)
            return 0;
        sn_stubs[nstubs] = want;
        stub_of[h & mask] = ++nstubs;
        return (uintptr_t)stubs + (nstubs - 1) * STUB_BYTES;
    }
}

uintptr_t sn_stub_for(struct sn_stub want)
{
    static uint32_t lock;
    sn_spin_lock(&lock);
    uintptr_t stub = find_or_make(want);
    sn_spin_unlock(&lock);
    return stub;
}

void sn_slot_set(const struct sn_elf *m, uintptr_t *slot, uintptr_t value)
{
    uintptr_t page = (uintptr_t)slot & ~(uintptr_t)4095;
    bool closed = page >= m->relro_low && page < m->relro_high;
    if (closed && sn_sys3(SYS_mprotect, page, 4096, PROT_READ | PROT_WRITE) < 0)
        return;
    __atomic_store_n(slot, value, __ATOMIC_RELEASE);
    if (closed)
        sn_sys3(SYS_mprotect, page, 4096, PROT_READ);
}

uintptr_t sn_stub_special(const char *name)
{
    if (strcmp(name, "dlsym") == 0)
        return (uintptr_t)sn_dlsym_entry;
    return strcmp(name, "dlvsym") == 0 ? (uintptr_t)sn_dlvsym_entry : 0;
}

static uintptr_t (*symbol_found)(const char *name, uintptr_t real);

void *sn_redirect_dlsym(void *handle, const char *name)
{
    void *p = sn_real_dlsym(handle, name);
    return p && name ? (void *)symbol_found(name, (uintptr_t)p) : p;
}

void *sn_redirect_dlvsym(void *handle, const char *name, const char *version)
{
    void *p = sn_real_dlvsym(handle, name, version);
    return p && name ? (void *)symbol_found(name, (uintptr_t)p) : p;
}

bool sn_stub_init(int (*fast)(struct sn_call *), void (*slow)(struct sn_call *, int),
                  uintptr_t (*found)(const char *name, uintptr_t real))
{
    if (stubs && fast == sn_library_fast)
        return true;
    symbol_found = found;
    sn_real_dlsym = (void *)sn_real.dlsym;
    sn_real_dlvsym = (void *)sn_real.dlvsym;
    sn_redirect_fast = fast;
    sn_redirect_slow = slow;
    find_vector_state();
    return stubs || make_stubs();
}
