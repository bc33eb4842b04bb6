/*
 * redirect.c: contract calls in unmodified programs.
 *
 * The slots through which a module calls others (relocations JUMP_SLOT, GLOB_DAT and 64) are set to
 * stubs (stub.c). That works for lazy binding and BIND_NOW alike: a slot that is not bound yet is
 * resolved here by the rules of the loader. A library's calls into itself are its own business and
 * stay as they are, as do those inside libc.
 *
 * Modules that come by dlopen are met at the next dlsym (a program has no other way in) or thread
 * start. dlopen itself is not wrapped, since it looks at its caller's address.
 *
 * Entries that only read hidden state are redirected once somebody writes that state while there
 * are several threads, or when the first thread is started of a program that has calls to write it:
 * else printf, strtol and their kin cost nothing.
 */
#include "runtime/redirect.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "core/spin.h"
#include "core/sys.h"
#include "runtime/elf_module.h"
#include "runtime/hook.h"
#include "runtime/instrumented.h"
#include "runtime/library.h"
#include "runtime/namespace.h"
#include "runtime/own_function.h"
#include "runtime/stub.h"

enum { MAX_MODULES = 1024, MAX_OBJECTS = 4096, MAX_OWN = 1024, MAX_PATTERNS = 1024 };

const struct sn_contract_file *sn_contracts;
uint8_t sn_redirect_armed[MAX_OBJECTS] SN_LARGE;

static struct {
    struct sn_elf m[MAX_MODULES];
    uint8_t space[MAX_MODULES]; /* namespace: 0 of the program, others by dlmopen() */
    int n;
} loaded SN_LARGE; /* during one refresh, under `busy` */

static struct {
    uintptr_t base, low;
    uint32_t armed; /* generation of sn_redirect_armed when it was patched */
} done[MAX_MODULES] SN_LARGE;
static int ndone;
static uint32_t armed_generation;
static uint32_t busy;
static bool has_stubs;
static bool follows_order; /* the engine has no halves of its own: library.c */
static uint32_t pattern[MAX_PATTERNS]; /* entries whose name has a * */
static uint32_t npatterns;
static uintptr_t
    own[MAX_OWN] SN_LARGE; /* functions that begin with a jump to their stub; under `busy` */
static uint32_t nown;
static uint8_t written[MAX_OBJECTS] SN_LARGE; /* hidden state that the program has calls to write */
static unsigned long long seen_adds, seen_subs; /* the loader's counters at the last refresh */

static const struct sn_elf *module_of(uintptr_t p)
{
    for (int i = 0; i < loaded.n; i++)
        if (p - loaded.m[i].low < loaded.m[i].high - loaded.m[i].low)
            return &loaded.m[i];
    return 0;
}

static uint8_t space_of(const struct sn_elf *m)
{
    return loaded.space[m - loaded.m];
}

/* ---- which calls ---- */

/* Under `busy`. */
static uintptr_t stub_for(uintptr_t target, uint32_t entry)
{
    const struct sn_elf *owner = module_of(sn_stub_target(target));
    uint16_t flags = sn_contract_entry(entry)->flags;
    bool is_long = (follows_order || sn_engine_call_leave) && (flags & SN_ENTRY_LONG);
    return sn_stub_for(
        (struct sn_stub){.target = target,
                         .entry = entry,
                         .is_long = (uint16_t)(is_long + (is_long && flags & SN_ENTRY_VARIADIC)),
                         .is_copy = owner && space_of(owner),
                         .is_order = follows_order});
}

static bool begins(const char *s, const char *with)
{
    return strncmp(s, with, strlen(with)) == 0;
}

/* libc's own parts and snag: their calls are implementation. */
static bool is_inner(const struct sn_elf *m)
{
    static const char *const names[] = {
        "libc.so",  "ld-linux", "libm.so",         "libpthread.so", "libdl.so",
        "librt.so", "libnss_",  "libresolv.so",    "libsnag",       "linux-vdso",
        "libgcc_s", "libtsan",  "libBrokenLocale", "ld-musl"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (begins(m->soname, names[i]))
            return true;
    return false;
}

static bool is_of_library(const struct sn_elf *m, const struct sn_contract_library *l)
{
    const char *name = SN_CONTRACT_TEXT(sn_contracts, l->sonames);
    for (uint32_t i = 0; i < l->nsonames; i++, name += strlen(name) + 1) {
        size_t n = strlen(name);
        if (n && name[n - 1] == '*' ? strncmp(m->soname, name, n - 1) == 0
                                    : strcmp(m->soname, name) == 0)
            return true;
    }
    return l->nsonames == 0 && !is_inner(m);
}

static const char *entry_name(uint32_t i)
{
    return SN_CONTRACT_TEXT(sn_contracts, sn_contract_entry(i)->name);
}

static uint32_t first_pattern(const char *name)
{
    for (uint32_t i = 0; i < npatterns; i++)
        if (sn_elf_name_fits(name, entry_name(pattern[i])))
            return pattern[i];
    return sn_contracts->nentries;
}

static void find_patterns(void)
{
    for (uint32_t i = 0; i < sn_contracts->nentries && npatterns < MAX_PATTERNS; i++)
        if (strchr(entry_name(i), '*'))
            pattern[npatterns++] = i;
}

/* The first entry of that name; nentries when there is none. */
static uint32_t first_entry(const char *name)
{
    uint32_t low = 0, high = sn_contracts->nentries;
    while (low < high) {
        uint32_t mid = (low + high) / 2;
        if (strcmp(entry_name(mid), name) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low < sn_contracts->nentries && strcmp(entry_name(low), name) == 0 ? low
                                                                              : first_pattern(name);
}

static bool is_asleep(const struct sn_contract_entry *e)
{
    if (!(e->flags & SN_ENTRY_LAZY))
        return false;
    for (uint32_t i = 0; i < e->neffects; i++)
        if (sn_redirect_armed[sn_contract_effect(e->first_effect + i)->object])
            return false;
    return true;
}

/* As the loader does: the first definition in the order of loading. */
static uintptr_t resolve(const struct sn_elf *caller, const char *name, const char *version)
{
    for (int i = 0; i < loaded.n; i++) {
        uintptr_t p = 0;
        if (loaded.space[i] == space_of(caller))
            p = sn_elf_find(&loaded.m[i], name, version);
        if (p)
            return p;
    }
    return 0;
}

/* Under `busy`. */
static bool is_own(uintptr_t function)
{
    for (uint32_t i = 0; i < nown; i++)
        if (own[i] == function)
            return true;
    return false;
}

/* The entry is about its arguments only. Hidden state is another one in every copy of a library,
 * and what is asked would be the program's copy. */
static bool is_for_copies(const struct sn_contract_entry *e)
{
    for (uint32_t i = 0; i < e->neffects; i++) {
        const struct sn_contract_effect *f = sn_contract_effect(e->first_effect + i);
        const struct sn_contract_object *o = sn_contract_object(f->object);
        enum sn_contract_mode_kind kind =
            f->mode ? (enum sn_contract_mode_kind)sn_contract_mode(f->mode - 1u)->kind
                    : SN_MODE_MARK;
        if (o->hidden || o->map == SN_MAP_CALL || (kind != SN_MODE_MARK && kind != SN_MODE_FIELD))
            return false;
    }
    return true;
}

/* What the slot is to hold, 0: leave it. `real` is what it leads to now. Of a library that is
 * instrumented all that orders is seen. */
static uintptr_t replacement(const struct sn_elf *caller, uint32_t entry, uintptr_t real)
{
    uintptr_t function = sn_stub_target(real);
    const struct sn_elf *owner = module_of(function);
    const char *name = entry_name(entry);
    if (!owner || owner == caller || is_own(real) || (follows_order && sn_instrumented(function)))
        return 0;
    for (; entry < sn_contracts->nentries && strcmp(entry_name(entry), name) == 0; entry++) {
        const struct sn_contract_entry *e = sn_contract_entry(entry);
        if (is_of_library(owner, sn_contract_library(e->library)))
            return is_asleep(e) || (space_of(owner) && !is_for_copies(e)) ? 0
                                                                          : stub_for(real, entry);
    }
    return 0;
}

/* ---- slots ---- */

/* The program itself has a call that writes hidden state, whatever its arguments. */
static void note_writer(uint32_t entry)
{
    const struct sn_contract_entry *e = sn_contract_entry(entry);
    for (uint32_t i = 0; i < e->neffects; i++) {
        const struct sn_contract_effect *f = sn_contract_effect(e->first_effect + i);
        if (sn_contract_object(f->object)->hidden && (f->does & SN_CB_WRITE) && !f->test)
            written[f->object] = 1;
    }
}

/* It is redirected. What follows order goes on to what the engine may have for its own purposes. */
static bool is_ours(uintptr_t p)
{
    return follows_order ? sn_stub_is_order(p) : sn_is_stub(p);
}

static void look_at(const struct sn_elf *m, const struct sn_elf_slot *s)
{
    uint32_t entry = first_entry(s->name);
    uintptr_t value =
        space_of(m) ? 0 : sn_stub_special(s->name); /* dlsym looks where its caller is */
    if (entry == sn_contracts->nentries && !value)
        return;
    if (is_ours(s->now) || s->now == value)
        return;
    uintptr_t real = s->unbound ? resolve(m, s->name, sn_elf_wanted_version(m, s->symbol)) : s->now;
    if (!value && real)
        value = replacement(m, entry, real);
    if (entry < sn_contracts->nentries && m == &loaded.m[0])
        note_writer(entry);
    if (value && real)
        sn_slot_set(m, s->at, value);
}

/* ---- functions of the program's own ---- */

static void take_own(const struct sn_elf *m, const char *name, uintptr_t function, uintptr_t body)
{
    uint32_t entry = first_entry(name);
    for (; entry < sn_contracts->nentries && strcmp(entry_name(entry), name) == 0; entry++) {
        uintptr_t stub = 0;
        if (nown < MAX_OWN &&
            is_of_library(m, sn_contract_library(sn_contract_entry(entry)->library)))
            stub = stub_for(body, entry);
        if (stub && sn_own_jump(function, body, stub)) {
            own[nown++] = function;
            return;
        }
    }
}

/* Some library may be any module, so that the program's own functions may be meant. */
static bool wants_own(void)
{
    for (uint32_t i = 0; i < sn_contracts->nlibraries; i++)
        if (sn_contract_library(i)->nsonames == 0)
            return true;
    return false;
}

static void patch(const struct sn_elf *m)
{
    if (wants_own())
        sn_own_each(m, take_own);
    sn_elf_slots(m, look_at);
}

/* ---- modules ---- */

static bool is_done(const struct sn_elf *m)
{
    for (int i = 0; i < ndone; i++)
        if (done[i].base == m->base && done[i].low == m->low) {
            bool is = done[i].armed == armed_generation;
            done[i].armed = armed_generation;
            return is;
        }
    if (ndone < MAX_MODULES) {
        done[ndone].base = m->base;
        done[ndone].low = m->low;
        done[ndone++].armed = armed_generation;
    }
    return false;
}

static void add_module(const struct dl_phdr_info *info, int space)
{
    if (loaded.n == MAX_MODULES || !sn_elf_read(&loaded.m[loaded.n], info))
        return;
    loaded.space[loaded.n++] = (uint8_t)space;
}

static int collect(struct dl_phdr_info *info, size_t size, void *p)
{
    (void)size, (void)p;
    if (info->dlpi_subs != seen_subs) { /* an address may be another module's now */
        seen_subs = info->dlpi_subs;
        ndone = 0;
    }
    seen_adds = info->dlpi_adds;
    add_module(info, 0);
    return 0;
}

/* Called for the first module only: the loader's lock is held, so that nothing is unloaded. */
static int patch_all(struct dl_phdr_info *info, size_t size, void *p)
{
    (void)info, (void)size, (void)p;
    loaded.n = 0;
    dl_iterate_phdr(collect, 0);
    if (loaded.n)
        sn_namespace_each(&loaded.m[0], add_module);
    for (int i = 0; i < loaded.n; i++)
        if (!is_inner(&loaded.m[i]) && !is_done(&loaded.m[i]))
            patch(&loaded.m[i]);
    return 1;
}

static int has_changed(struct dl_phdr_info *info, size_t size, void *p)
{
    (void)size, (void)p;
    return info->dlpi_adds != seen_adds || info->dlpi_subs != seen_subs ? 1 : 2;
}

static int is_known(struct dl_phdr_info *info, size_t size, void *p)
{
    struct sn_elf m;
    (void)size, (void)p;
    bool read = sn_elf_read(&m, info);
    for (uint32_t i = 0; read && i < sn_contracts->nlibraries; i++)
        if (is_of_library(&m, sn_contract_library(i)))
            return 1;
    return 0;
}

/* Most programs have no library that a contract is about: they pay for this look. */
static bool has_library(void)
{
    return sn_contracts && dl_iterate_phdr(is_known, 0) == 1;
}

static void refresh(bool always)
{
    if (follows_order && !has_stubs && has_library())
        has_stubs = sn_stub_init(sn_library_fast, sn_library_enter, sn_redirect_for);
    if (!has_stubs || (!always && dl_iterate_phdr(has_changed, 0) != 1))
        return;
    uint32_t generation;
    do {
        if (__atomic_exchange_n(&busy, 1, __ATOMIC_ACQ_REL))
            return; /* whoever is at it sees the new module, or the next one does */
        generation = __atomic_load_n(&armed_generation, __ATOMIC_ACQUIRE);
        dl_iterate_phdr(patch_all, 0);
        __atomic_exchange_n(&busy, 0,
                            __ATOMIC_ACQ_REL); /* sees what a thread did that met `busy` */
    } while (generation != __atomic_load_n(&armed_generation, __ATOMIC_ACQUIRE));
}

void sn_redirect_refresh(void)
{
    if (sn_contracts)
        refresh(false);
}

bool sn_redirect_arm(uint32_t object)
{
    if (object >= MAX_OBJECTS ||
        __atomic_exchange_n(&sn_redirect_armed[object], 1, __ATOMIC_ACQ_REL))
        return false;
    __atomic_fetch_add(&armed_generation, 1, __ATOMIC_ACQ_REL);
    refresh(true);
    return true;
}

void sn_redirect_arm_written(void)
{
    for (uint32_t i = 0; sn_contracts && i < sn_contracts->nobjects; i++)
        if (written[i])
            sn_redirect_arm(i);
}

struct wanted {
    uint32_t library;
    const char *name;
    uintptr_t found;
};

static int find_in(struct dl_phdr_info *info, size_t size, void *p)
{
    struct wanted *w = p;
    struct sn_elf m;
    (void)size;
    if (sn_elf_read(&m, info) && is_of_library(&m, sn_contract_library(w->library)))
        w->found = sn_elf_find(&m, w->name, 0);
    return w->found != 0;
}

uintptr_t sn_redirect_find(uint32_t library, const char *name)
{
    struct wanted w = {.library = library, .name = name};
    dl_iterate_phdr(find_in, &w);
    return w.found;
}

/* ---- dlsym ---- */

uintptr_t sn_redirect_for(const char *name, uintptr_t real)
{
    if (!sn_contracts)
        return real;
    uint32_t entry = first_entry(name);
    uintptr_t stub = 0;
    refresh(false);
    if (!has_stubs || entry == sn_contracts->nentries || is_ours(real))
        return real;
    if (__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE))
        return real;
    if (module_of(sn_stub_target(real)))
        stub = replacement(0, entry, real);
    __atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
    return stub ? stub : real;
}

/* ---- beginning ---- */

static const struct sn_contract_file *map_file(const char *run_dir)
{
    char path[4096 + 32];
    struct stat st;
    size_t n = strlen(run_dir);
    if (n > 4096)
        return 0;
    memcpy(path, run_dir, n);
    memcpy(path + n, "/" SN_CONTRACT_FILE, sizeof "/" SN_CONTRACT_FILE);
    long fd = sn_sys3(SYS_open, path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0)
        return 0;
    long p = -1;
    if (sn_sys2(SYS_fstat, fd, &st) == 0 && st.st_size > (long)sizeof(struct sn_contract_file))
        p = sn_sys6(SYS_mmap, 0, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    sn_sys1(SYS_close, fd);
    if ((unsigned long)p >= (unsigned long)-4095)
        return 0;
    const struct sn_contract_file *f = (const void *)p;
    bool good = f->magic == SN_CONTRACT_MAGIC && f->bytes <= (uint64_t)st.st_size &&
                f->nobjects <= MAX_OBJECTS;
    return good ? f : 0;
}

void sn_redirect_init(const char *run_dir)
{
    if (!(sn_contracts = map_file(run_dir)))
        return;
    find_patterns();
    follows_order = !sn_engine_call_fast;
    sn_redirect_leave = follows_order ? sn_library_leave : sn_engine_call_leave;
    if (!follows_order)
        has_stubs = sn_stub_init(sn_engine_call_fast, sn_engine_call_slow, sn_redirect_for);
    refresh(true);
}
