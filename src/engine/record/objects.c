/*
 * objects.c: heap blocks in a table by address: a directory of 16 MiB regions; in a region one bit
 * per 16 bytes says where blocks begin, and beside it stands each block's size. Looking for the
 * block of an inner pointer walks back over the bits, a word at a time; blocks too large for
 * that are in a list.
 */
#include "objects.h"

#include <link.h>
#include <string.h>

#include "core/sys.h"
#include "core/thread.h"
#include "runtime/instrumented.h"

enum {
    REGION_BITS = 24,
    GRAIN_BITS = 4,
    GRAINS = 1 << (REGION_BITS - GRAIN_BITS),
    DIRECTORY = 1 << (47 - REGION_BITS),
    WALK = 1 << 20,   /* bytes; larger blocks are listed */
    MAX_LARGE = 4096, /* of them at once; the rest are known by their first WALK bytes only */
    MAX_GLOBALS = 1 << 20,
    MAX_SEGMENTS = 1024,
    STACK_BYTES = 512, /* what a pointer to the stack is taken to point to, at most */
};

struct region {
    uint64_t starts[GRAINS / 64];
    uint64_t size[GRAINS];
};

static struct region *directory[DIRECTORY];

static struct {
    uintptr_t addr;
    uint64_t size;
} large[MAX_LARGE];
static uint32_t nlarge;

static struct global {
    uintptr_t addr;
    uint64_t size;
} *globals;
static uint32_t nglobals;

static struct sn_segment segments[MAX_SEGMENTS];
static uint32_t nsegments;

static struct region *region_of(uintptr_t addr, bool make)
{
    uintptr_t i = addr >> REGION_BITS;
    if (i >= DIRECTORY)
        return 0;
    if (!directory[i] && make)
        directory[i] = sn_map(sizeof(struct region));
    return directory[i];
}

static uint32_t grain_of(uintptr_t addr)
{
    return (uint32_t)(addr >> GRAIN_BITS) & (GRAINS - 1);
}

void sn_objects_add(uintptr_t addr, uint64_t size)
{
    struct region *r = region_of(addr, true);
    uint32_t g = grain_of(addr);
    if (!r)
        return;
    r->starts[g / 64] |= 1ull << (g % 64);
    r->size[g] = size;
    if (size > WALK && nlarge < MAX_LARGE) {
        large[nlarge].addr = addr;
        large[nlarge++].size = size;
    }
}

uint64_t sn_objects_remove(uintptr_t addr)
{
    struct region *r = region_of(addr, false);
    uint32_t g = grain_of(addr);
    if (!r || !(r->starts[g / 64] >> (g % 64) & 1))
        return 0;
    uint64_t size = r->size[g];
    r->starts[g / 64] &= ~(1ull << (g % 64));
    for (uint32_t i = 0; size > WALK && i < nlarge; i++)
        if (large[i].addr == addr) {
            large[i] = large[--nlarge];
            break;
        }
    return size;
}

/* The last start at or before p within WALK bytes; 0: none. */
static uintptr_t start_before(uintptr_t p)
{
    uintptr_t low = p > WALK ? p - WALK : 0, base = p & ~(((uintptr_t)64 << GRAIN_BITS) - 1);
    uint64_t keep = ~0ull >> (63 - grain_of(p) % 64);
    for (; base + (64 << GRAIN_BITS) > low; base -= 64 << GRAIN_BITS, keep = ~0ull) {
        const struct region *r = region_of(base, false);
        if (!r) { /* nothing in this region: go on in the one before */
            base &= ~(((uintptr_t)1 << REGION_BITS) - 1);
            continue;
        }
        uint64_t bits = r->starts[grain_of(base) / 64] & keep;
        if (bits)
            return base + ((uintptr_t)(63 - __builtin_clzll(bits)) << GRAIN_BITS);
        if (base == 0)
            break;
    }
    return 0;
}

static bool in_heap(uintptr_t p, struct sn_object_at *out)
{
    for (uint32_t i = 0; i < nlarge; i++)
        if (p - large[i].addr < large[i].size) {
            *out = (struct sn_object_at){SN_AT_HEAP, large[i].addr, large[i].size};
            return true;
        }
    if (!region_of(p, false))
        return false;
    uintptr_t start = start_before(p);
    if (!start)
        return false;
    uint64_t size = region_of(start, false)->size[grain_of(start)];
    if (p - start >= size)
        return false;
    *out = (struct sn_object_at){SN_AT_HEAP, start, size};
    return true;
}

/* Globals. */

void sn_objects_global(uintptr_t addr, uint64_t size)
{
    if (!globals)
        globals = sn_map(MAX_GLOBALS * sizeof *globals);
    if (globals && nglobals < MAX_GLOBALS && size)
        globals[nglobals++] = (struct global){addr, size};
}

/* Heap sort: in place, no recursion. */
static void sift(uint32_t root, uint32_t n)
{
    for (uint32_t child; (child = 2 * root + 1) < n; root = child) {
        if (child + 1 < n && globals[child + 1].addr > globals[child].addr)
            child++;
        if (globals[root].addr >= globals[child].addr)
            return;
        struct global g = globals[root];
        globals[root] = globals[child];
        globals[child] = g;
    }
}

void sn_objects_sort(void)
{
    for (uint32_t i = nglobals / 2; i-- > 0;)
        sift(i, nglobals);
    for (uint32_t n = nglobals; n-- > 1;) {
        struct global g = globals[0];
        globals[0] = globals[n];
        globals[n] = g;
        sift(0, n);
    }
}

static bool among_globals(uintptr_t p, struct sn_object_at *out)
{
    uint32_t low = 0, high = nglobals;
    while (low < high) {
        uint32_t mid = (low + high) / 2;
        if (globals[mid].addr <= p)
            low = mid + 1;
        else
            high = mid;
    }
    if (!low || p - globals[low - 1].addr >= globals[low - 1].size)
        return false;
    *out = (struct sn_object_at){SN_AT_GLOBAL, globals[low - 1].addr, globals[low - 1].size};
    return true;
}

/* A module without a symbol there: all its variables are one object. */
static bool in_module(uintptr_t p, struct sn_object_at *out)
{
    for (uint32_t i = 0; i < nsegments; i++) {
        const struct sn_segment *s = &segments[i];
        if (p - s->low >= s->high - s->low)
            continue;
        if (s->quiet)
            return false;
        if (!among_globals(p, out))
            *out = (struct sn_object_at){SN_AT_GLOBAL, s->low, s->high - s->low};
        return true;
    }
    return false;
}

static int add_segments(struct dl_phdr_info *info, size_t bytes, void *p)
{
    static const char *const quiet[] = {"libc.so",    "ld-linux",  "libm.so",    "libpthread.so",
                                        "libdl.so",   "librt.so",  "libresolv",  "libsnag",
                                        "linux-vdso", "libgcc_s",  "libtsan",    "libstdc++",
                                        "libc++",     "libatomic", "libunwind"};
    const char *name = info->dlpi_name ? info->dlpi_name : "", *slash = strrchr(name, '/');
    uintptr_t low = UINTPTR_MAX, high = 0;
    bool is_quiet = false;
    (void)bytes, (void)p;
    name = slash ? slash + 1 : name;
    for (size_t i = 0; i < sizeof quiet / sizeof *quiet; i++)
        is_quiet |= strncmp(name, quiet[i], strlen(quiet[i])) == 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
        uintptr_t from = info->dlpi_addr + ph->p_vaddr;
        if (ph->p_type != PT_LOAD)
            continue;
        low = from < low ? from : low;
        high = from + ph->p_memsz > high ? from + ph->p_memsz : high;
    }
    for (int i = 0; i < info->dlpi_phnum && nsegments < MAX_SEGMENTS; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
        uintptr_t from = info->dlpi_addr + ph->p_vaddr;
        if (ph->p_type == PT_LOAD && (ph->p_flags & PF_W))
            segments[nsegments++] =
                (struct sn_segment){from, from + ph->p_memsz, low, high, is_quiet};
    }
    return 0;
}

void sn_objects_modules(void)
{
    nsegments = 0;
    dl_iterate_phdr(add_segments, 0);
}

uint32_t sn_objects_segments(const struct sn_segment **out)
{
    *out = segments;
    return nsegments;
}

/* Stacks. The frames of a thread say where its functions' variables are: what a pointer points to
 * ends at the latest where the caller's begin. */
static uintptr_t frame_end(const struct sn_thread *t, uintptr_t p)
{
    const struct sn_call_frame *f = t->sp;
    uintptr_t end = t->stack_high;
    for (int looked = 0; f > t->frames && looked < 64; looked++) {
        f--;
        if (f->rsp > p)
            return f->rsp;
    }
    return end;
}

static bool on_stack(uintptr_t p, struct sn_object_at *out)
{
    for (uint32_t i = 0, n = sn_thread_count(); i < n; i++) {
        const struct sn_thread *t = sn_thread_at(i);
        if (__atomic_load_n(&t->state, __ATOMIC_ACQUIRE) != SN_T_RUNNING)
            continue;
        if (p == t->pthread) {
            *out = (struct sn_object_at){SN_AT_THREAD, p, 16};
            return true;
        }
        if (p < t->stack_low || p >= t->stack_high)
            continue;
        uintptr_t start = p & ~(uintptr_t)7, end = frame_end(t, p);
        uint64_t size = end > start ? end - start : 8;
        *out = (struct sn_object_at){SN_AT_STACK, start, size < STACK_BYTES ? size : STACK_BYTES};
        return true;
    }
    return false;
}

/* A thread that has finished and was not joined is an object still. */
static bool is_thread(uintptr_t p, struct sn_object_at *out)
{
    if ((p & 63) || !sn_thread_by_pthread(p))
        return false;
    *out = (struct sn_object_at){SN_AT_THREAD, p, 16};
    return true;
}

bool sn_objects_at(uintptr_t p, struct sn_object_at *out)
{
    if (p < 4096 || p >> 47)
        return false;
    return in_heap(p, out) || in_module(p, out) || on_stack(p, out) || is_thread(p, out);
}
