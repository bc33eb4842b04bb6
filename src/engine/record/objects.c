/*
 * objects.c: heap blocks in a table by address: a directory of 16 MiB regions; in a region one bit
 * per 16 bytes says where blocks begin, and beside it stands each block's size. Looking for the
 * block of an inner pointer walks back over the bits, a word at a time; blocks too large for
 * that are in a list.
 *
 * Most words that are looked at are no pointers: a byte per region says what there can be at all.
 */
#include "objects.h"

#include <link.h>
#include <string.h>
#include <sys/auxv.h>

#include "core/sys.h"
#include "core/thread.h"
#include "runtime/instrumented.h"

enum {
    REGION_BITS = SN_REGION_BITS,
    GRAIN_BITS = 4,
    GRAINS = 1 << (REGION_BITS - GRAIN_BITS),
    DIRECTORY = SN_REGIONS,
    WALK = 1 << 20,   /* bytes; larger blocks are listed */
    MAX_LARGE = 4096, /* of them at once; the rest are known by their first WALK bytes only */
    MAX_GLOBALS = 1 << 20,
    MAX_SEGMENTS = 1024,
    LOOK_BYTES = 16 * 1024, /* of a module's variables, at each call */
    STACK_BYTES = 512,      /* what a pointer to the stack is taken to point to, at most */
    KNOWN_GLOBALS = 1024,
};

struct region {
    uint64_t starts[GRAINS / 64];
    uint64_t some[GRAINS / 64 / 64]; /* words of `starts` that ever had a bit */
    struct sn_heap_block block[GRAINS];
};

static struct region *directory[DIRECTORY];

enum { HEAP_HERE = 1, MODULE_HERE = 2, STACK_HERE = 4 };
uint8_t sn_objects_here[DIRECTORY]; /* bits of the three; never taken back */
uint64_t sn_objects_low, sn_objects_span;

static void widen(uintptr_t first, uintptr_t last)
{
    uintptr_t low = first << REGION_BITS, end = (last + 1) << REGION_BITS;
    uintptr_t old_end = sn_objects_low + sn_objects_span;
    if (sn_objects_span && low > sn_objects_low)
        low = sn_objects_low;
    end = end > old_end ? end : old_end;
    sn_objects_low = low;
    sn_objects_span = end - low;
}

static void mark(uintptr_t low, uintptr_t high, uint8_t what)
{
    uintptr_t last = (high - 1) >> REGION_BITS;
    if (last >= DIRECTORY)
        last = DIRECTORY - 1;
    if (low < high && low >> REGION_BITS <= last)
        widen(low >> REGION_BITS, last);
    for (uintptr_t i = low >> REGION_BITS; low < high && i <= last && i < DIRECTORY; i++)
        sn_objects_here[i] |= what;
}

static struct {
    uintptr_t addr;
    uint64_t size;
} large[MAX_LARGE];
static uint32_t nlarge;

static struct global {
    uintptr_t addr;
    uint64_t size;
} * globals;
static uint32_t nglobals;

/* The last answers for pointers to variables. */
static struct {
    uintptr_t p;
    struct sn_object_at at;
} known_globals[KNOWN_GLOBALS];

static struct sn_segment segments[MAX_SEGMENTS];
static uint32_t nsegments;
static struct sn_segment met[MAX_SEGMENTS]; /* at the last look */
static uint32_t nmet;
static uintptr_t first_stack_end;

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
    mark(addr, addr + size, HEAP_HERE);
    r->starts[g / 64] |= 1ull << (g % 64);
    r->some[g / 64 / 64] |= 1ull << (g / 64 % 64);
    r->block[g].size = size;
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
    uint64_t size = r->block[g].size;
    r->starts[g / 64] &= ~(1ull << (g % 64));
    for (uint32_t i = 0; size > WALK && i < nlarge; i++)
        if (large[i].addr == addr) {
            large[i] = large[--nlarge];
            break;
        }
    return size;
}

uint32_t sn_objects_number(uintptr_t addr)
{
    const struct region *r = region_of(addr, false);
    return r ? r->block[grain_of(addr)].number : 0;
}

static uint64_t up_to(unsigned bit)
{
    return ~0ull >> (63 - bit);
}

static unsigned highest(uint64_t bits)
{
    return 63 - (unsigned)__builtin_clzll(bits);
}

/* The last grain up to g in which a block starts; -1: none in this region. */
static int64_t start_in(const struct region *r, uint32_t g)
{
    uint64_t bits = r->starts[g / 64] & up_to(g % 64);
    if (bits)
        return (int64_t)(g & ~63u) + highest(bits);
    uint64_t below = up_to(g / 64 % 64) >> 1; /* words before this one */
    for (int64_t s = g / 64 / 64; s >= 0; s--, below = ~0ull)
        for (uint64_t some = r->some[s] & below; some; some &= ~(1ull << highest(some))) {
            int64_t w = s * 64 + highest(some);
            if (r->starts[w])
                return w * 64 + highest(r->starts[w]);
        }
    return -1;
}

/* The last start at or before p, in its region or the one before; 0: none. */
static uintptr_t start_before(uintptr_t p)
{
    uintptr_t base = p & ~(((uintptr_t)1 << REGION_BITS) - 1);
    const struct region *r = region_of(p, false);
    int64_t g = r ? start_in(r, grain_of(p)) : -1;
    if (g < 0 && p - base < WALK && base) {
        base -= (uintptr_t)1 << REGION_BITS;
        r = region_of(base, false);
        g = r ? start_in(r, GRAINS - 1) : -1;
    }
    return g < 0 ? 0 : base + ((uintptr_t)g << GRAIN_BITS);
}

static struct sn_heap_block *heap_block(uintptr_t start)
{
    return &region_of(start, false)->block[grain_of(start)];
}

static bool in_heap(uintptr_t p, struct sn_object_at *out)
{
    for (uint32_t i = 0; i < nlarge; i++)
        if (p - large[i].addr < large[i].size) {
            *out = (struct sn_object_at){SN_AT_HEAP, large[i].addr, large[i].size,
                                         heap_block(large[i].addr)};
            return true;
        }
    uintptr_t start = start_before(p);
    if (!start)
        return false;
    struct sn_heap_block *b = heap_block(start);
    if (p - start >= b->size)
        return false;
    *out = (struct sn_object_at){SN_AT_HEAP, start, b->size, b};
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
    memset(known_globals, 0, sizeof known_globals);
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
    *out = (struct sn_object_at){SN_AT_GLOBAL, globals[low - 1].addr, globals[low - 1].size, 0};
    return true;
}

/* A module without a symbol there: all its variables are one object. */
static bool look_in_modules(uintptr_t p, struct sn_object_at *out)
{
    for (uint32_t i = 0; i < nsegments; i++) {
        const struct sn_segment *s = &segments[i];
        if (p - s->low >= s->high - s->low)
            continue;
        if (s->quiet)
            return false;
        if (!among_globals(p, out))
            *out = (struct sn_object_at){SN_AT_GLOBAL, s->low, s->high - s->low, 0};
        return true;
    }
    return false;
}

static bool in_module(uintptr_t p, struct sn_object_at *out)
{
    uint32_t i = (uint32_t)(p >> 3) % KNOWN_GLOBALS;
    if (known_globals[i].p != p) {
        struct sn_object_at at = {0};
        look_in_modules(p, &at);
        known_globals[i].p = p;
        known_globals[i].at = at;
    }
    *out = known_globals[i].at;
    return out->class != SN_AT_NOTHING;
}

static bool is_quiet(const char *path)
{
    static const char *const quiet[] = {"libc.so",    "ld-linux",  "libm.so",   "libpthread.so",
                                        "libdl.so",   "librt.so",  "libresolv", "libsnag",
                                        "linux-vdso", "libgcc_s",  "libtsan",   "libstdc++",
                                        "libc++",     "libatomic", "libunwind"};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof quiet / sizeof *quiet; i++)
        if (strncmp(name, quiet[i], strlen(quiet[i])) == 0)
            return true;
    return false;
}

/* Where a module's variables begin: behind what the loader alone writes, relocated constants and
 * the slots of its calls. */
static uintptr_t behind_loader(const struct dl_phdr_info *info, uintptr_t low, uintptr_t high)
{
    uintptr_t from = low, slots = 0, nslots = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
        uintptr_t at = info->dlpi_addr + ph->p_vaddr, end = at + ph->p_memsz;
        if (ph->p_type == PT_GNU_RELRO && at <= from && end > from && end <= high)
            from = end;
        if (ph->p_type != PT_DYNAMIC)
            continue;
        for (const ElfW(Dyn) *d = (const ElfW(Dyn) *)at; d->d_tag != DT_NULL; d++) {
            if (d->d_tag == DT_PLTGOT)
                slots = d->d_un.d_ptr < info->dlpi_addr ? info->dlpi_addr + d->d_un.d_ptr
                                                        : d->d_un.d_ptr;
            if (d->d_tag == DT_PLTRELSZ)
                nslots = 3 + d->d_un.d_val / sizeof(ElfW(Rela));
        }
    }
    slots += 8 * nslots;
    return slots > from && slots <= high ? slots : from;
}

static int add_segments(struct dl_phdr_info *info, size_t bytes, void *p)
{
    uintptr_t low = UINTPTR_MAX, high = 0;
    (void)bytes, (void)p;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
        uintptr_t from = info->dlpi_addr + ph->p_vaddr;
        if (ph->p_type != PT_LOAD)
            continue;
        low = from < low ? from : low;
        high = from + ph->p_memsz > high ? from + ph->p_memsz : high;
    }
    for (int i = 0; i < info->dlpi_phnum && nmet < MAX_SEGMENTS; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
        uintptr_t from = info->dlpi_addr + ph->p_vaddr, to = from + ph->p_memsz;
        if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_W))
            continue;
        from = behind_loader(info, from, to);
        if (from >= to)
            continue;
        met[nmet++] =
            (struct sn_segment){.low = from,
                                .high = to,
                                .code_low = low,
                                .code_high = high,
                                .quiet = is_quiet(info->dlpi_name ? info->dlpi_name : "")};
    }
    return 0;
}

void sn_segment_look(struct sn_segment *s)
{
    uint64_t sum = 0;
    if (s->changed)
        return;
    s->changed = s->high - s->low > LOOK_BYTES;
    for (uintptr_t at = (s->low + 7) & ~(uintptr_t)7; !s->changed && at + 8 <= s->high; at += 8)
        sum = (sum ^ *(const volatile uint64_t *)at) * 0x9e3779b97f4a7c15ull + 1;
    s->changed |= s->watched && sum != s->sum;
    s->watched = true;
    s->sum = sum;
}

void sn_objects_look_at_modules(void)
{
    nmet = 0;
    dl_iterate_phdr(add_segments, 0);
}

static bool is_known_segment(const struct sn_segment *s)
{
    for (uint32_t i = 0; i < nsegments; i++)
        if (segments[i].low == s->low && segments[i].high == s->high)
            return true;
    return false;
}

void sn_objects_take_modules(void)
{
    enum { PAGE = 4096 };
    first_stack_end = (getauxval(AT_EXECFN) + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
    for (uint32_t i = 0; i < nmet && nsegments < MAX_SEGMENTS; i++)
        if (!is_known_segment(&met[i])) {
            mark(met[i].low, met[i].high, MODULE_HERE);
            segments[nsegments++] = met[i];
        }
    nmet = 0;
    memset(known_globals, 0, sizeof known_globals);
}

/* Its memory is not to be looked at any more. */
bool sn_objects_unloaded(uintptr_t low, uint64_t size)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < nsegments; i++)
        if (segments[i].low - low >= size)
            segments[kept++] = segments[i];
    if (kept == nsegments)
        return false;
    nsegments = kept;
    for (uint32_t i = 0; i < nglobals; i++)
        if (globals[i].addr - low < size)
            globals[i].size = 0;
    memset(known_globals, 0, sizeof known_globals);
    return true;
}

uint32_t sn_objects_segments(struct sn_segment **out)
{
    *out = segments;
    return nsegments;
}

/* What libc says of the first thread's stack may lie beyond its end. The program's name is the last
 * thing that the kernel has put there. */
uintptr_t sn_objects_stack_end(const struct sn_thread *t)
{
    return t->number == 0 && first_stack_end && first_stack_end < t->stack_high ? first_stack_end
                                                                                : t->stack_high;
}

/*
 * Stacks. The frames of a thread say where its functions' variables are: what a pointer points to
 * ends at the latest where the caller's begin, and for the outermost function where it returns to.
 */
static uintptr_t outermost_end(const struct sn_thread *t, uintptr_t stack_end)
{
    enum { THREADS = 64, FAR = 4096 };
    static struct {
        uintptr_t rsp, pc, end;
    } known[THREADS];
    uint32_t i = t->index % THREADS;
    uintptr_t rsp = t->frames->rsp, pc = t->frames->pc, at = rsp & ~(uintptr_t)7;
    if (known[i].rsp == rsp && known[i].pc == pc)
        return known[i].end;
    if (t != sn_self) /* its stack is not to be read from here */
        return stack_end;
    while (at < stack_end && at - rsp < FAR && *(const volatile uintptr_t *)at != pc)
        at += 8;
    known[i].rsp = rsp;
    known[i].pc = pc;
    known[i].end = at < stack_end && at - rsp < FAR ? at : stack_end;
    return known[i].end;
}

static uintptr_t frame_end(const struct sn_thread *t, uintptr_t p)
{
    const struct sn_call_frame *f = t->sp;
    uintptr_t end = sn_objects_stack_end(t);
    for (int looked = 0; f > t->frames && looked < 64; looked++) {
        f--;
        if (f->rsp > p)
            return f->rsp;
    }
    if (f > t->frames || t->sp == t->frames)
        return end;
    uintptr_t returns = outermost_end(t, end);
    return returns > p ? returns : end;
}

/* Where its stack is in use at least, and mapped therefore. */
static uintptr_t stack_top(const struct sn_thread *t)
{
    if (t == sn_self)
        return (uintptr_t)__builtin_frame_address(0);
    return t->sp > t->frames ? t->sp[-1].rsp : t->stack_high;
}

static bool in_frames(const struct sn_thread *t, uintptr_t p, struct sn_object_at *out)
{
    if (p < stack_top(t))
        return false;
    uintptr_t start = p & ~(uintptr_t)7, end = frame_end(t, p);
    uint64_t size = end > start ? end - start : 8;
    *out = (struct sn_object_at){SN_AT_STACK, start, size < STACK_BYTES ? size : STACK_BYTES, 0};
    return true;
}

static bool on_stack(uintptr_t p, struct sn_object_at *out)
{
    const struct sn_thread *self = sn_self;
    if (p == self->pthread) {
        *out = (struct sn_object_at){SN_AT_THREAD, p, 16, 0};
        return true;
    }
    if (p >= self->stack_low && p < self->stack_high)
        return in_frames(self, p, out);
    for (uint32_t i = 0, n = sn_thread_count(); i < n; i++) {
        const struct sn_thread *t = sn_thread_at(i);
        if (__atomic_load_n(&t->state, __ATOMIC_ACQUIRE) != SN_T_RUNNING)
            continue;
        if (p == t->pthread) {
            *out = (struct sn_object_at){SN_AT_THREAD, p, 16, 0};
            return true;
        }
        if (p >= t->stack_low && p < t->stack_high)
            return in_frames(t, p, out);
    }
    return false;
}

/* A thread that has finished and was not joined is an object still. */
static bool is_thread(uintptr_t p, struct sn_object_at *out)
{
    if ((p & 63) || !sn_thread_by_pthread(p))
        return false;
    *out = (struct sn_object_at){SN_AT_THREAD, p, 16, 0};
    return true;
}

bool sn_objects_at(uintptr_t p, struct sn_object_at *out)
{
    uint8_t what = p >> 47 ? 0 : sn_objects_here[p >> REGION_BITS];
    if (!what)
        return false;
    return (what & HEAP_HERE && in_heap(p, out)) || (what & MODULE_HERE && in_module(p, out)) ||
           (what & STACK_HERE && (on_stack(p, out) || is_thread(p, out)));
}

void sn_objects_stack(const struct sn_thread *t)
{
    enum { MOST = 1 << 30 }; /* of a stack without limit the upper end is in use */
    bool large = t->stack_high - t->stack_low > MOST;
    mark(large ? t->stack_high - MOST : t->stack_low, t->stack_high, STACK_HERE);
    mark(t->pthread, t->pthread + 1, STACK_HERE);
}
