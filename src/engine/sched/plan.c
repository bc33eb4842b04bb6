/* plan.c: reads the plan, see plan.h. No libc: the program has not begun yet. */
#include "plan.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "core/sys.h"
#include "log.h"
#include "scheduler.h"
#include "runtime/modules.h"
#include "runtime/sink.h"

struct sn_plan sn_plan = {.strategy = "random"};
uint8_t sn_plan_filter[SN_PLAN_FILTER];
static uint8_t filtered; /* something is set in it */

enum { LINE_LEAST = 8 }; /* bytes of the shortest line that adds something */

void *sn_plan_map(size_t bytes, bool shared)
{
    static uintptr_t aside = (uintptr_t)1 << 44;
    long p = sn_sys6(SYS_mmap, aside, bytes, PROT_READ | PROT_WRITE,
                     (shared ? MAP_SHARED : MAP_PRIVATE) | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    aside += (bytes + 4095) / 4096 * 4096;
    return (unsigned long)p >= (unsigned long)-4095 ? 0 : (void *)p;
}

/* The next word of the line, at most n - 1 bytes of it; false at the line's end. */
static bool word(const char **p, char *to, size_t n)
{
    size_t used = 0;
    while (**p == ' ')
        ++*p;
    for (; **p && **p != ' ' && **p != '\n'; ++*p)
        if (used + 1 < n)
            to[used++] = **p;
    to[used] = 0;
    return used != 0;
}

static uint64_t number(const char **p, unsigned base)
{
    char w[32];
    uint64_t v = 0;
    word(p, w, sizeof w);
    for (const char *c = w; *c; c++)
        v = v * base + (unsigned)(*c <= '9' ? *c - '0' : (*c | 32) - 'a' + 10);
    return v;
}

static uintptr_t place(const char **p)
{
    char module[256];
    word(p, module, sizeof module);
    return sn_modules_address(module, number(p, 16));
}

static void add_site(const char **p)
{
    uintptr_t pc = place(p);
    uint32_t i = sn_plan.nsites;
    if (!pc || sn_plan_is_site(pc))
        return;
    for (; i > 0 && sn_plan.site[i - 1] > pc; i--) /* sorted: sn_plan_is_site() halves */
        sn_plan.site[i] = sn_plan.site[i - 1];
    sn_plan.site[i] = pc;
    sn_plan.nsites++;
    sn_plan_filter[pc % SN_PLAN_FILTER] = 1;
    filtered = 1;
}

static void add_turn(const char **p)
{
    struct sn_plan_turn *t = &sn_plan.turn[sn_plan.nturns++];
    t->thread = (uint32_t)number(p, 10);
    t->nth = (uint32_t)number(p, 10);
    t->pc = t->nth ? place(p) : 0;
}

static void add_before(const char **p)
{
    struct sn_plan_before *b = &sn_plan.before[sn_plan.nbefores++];
    b->first = place(p);
    b->then = place(p);
}

static void add_entry(const char **p)
{
    struct sn_plan_entry *e = &sn_plan.entry[sn_plan.nentries++];
    e->kind = (uint8_t)number(p, 10);
    e->thread = (uint32_t)number(p, 10);
    e->count = (uint32_t)number(p, 10);
    e->next = (uint32_t)number(p, 10);
    e->offset = number(p, 16);
    e->process = (uint32_t)number(p, 16);
}

static void add_sleeper(const char **p)
{
    struct sn_sleeper *z = &sn_plan.sleeper[sn_plan.nsleepers++];
    *z = (struct sn_sleeper){.thread = (uint32_t)number(p, 10)};
    z->budget = (int64_t)number(p, 10);
    z->nobjects = (uint32_t)number(p, 10);
    for (uint32_t i = 0; i < z->nobjects && i < SN_CHOICE_OBJECTS; i++) {
        z->object[i].addr = number(p, 16);
        z->object[i].size = (uint32_t)number(p, 10);
        z->object[i].write = (uint32_t)number(p, 10);
    }
}

static void set_points(const char **p)
{
    char w[8];
    word(p, w, sizeof w);
    sn_plan.points = strcmp(w, "all") == 0     ? SN_POINTS_ALL
                     : strcmp(w, "sites") == 0 ? SN_POINTS_SITES
                     : strcmp(w, "seen") == 0  ? SN_POINTS_SEEN
                                               : SN_POINTS_SYNC;
}

static void line(const char **p)
{
    char w[16];
    word(p, w, sizeof w);
    if (strcmp(w, "strategy") == 0)
        word(p, sn_plan.strategy, sizeof sn_plan.strategy);
    else if (strcmp(w, "points") == 0)
        set_points(p);
    else if (strcmp(w, "site") == 0)
        add_site(p);
    else if (strcmp(w, "tell") == 0)
        sn_plan.tell = number(p, 10) != 0;
    else if (strcmp(w, "depth") == 0)
        sn_plan.depth = (uint32_t)number(p, 10);
    else if (strcmp(w, "steps") == 0)
        sn_plan.steps = number(p, 10);
    else if (strcmp(w, "turn") == 0)
        add_turn(p);
    else if (strcmp(w, "stops") == 0)
        sn_plan.after = 1;
    else if (strcmp(w, "count") == 0)
        sn_plan.count = 1;
    else if (strcmp(w, "before") == 0)
        add_before(p);
    else if (strcmp(w, "bound") == 0)
        sn_plan.bound = (uint32_t)number(p, 10);
    else if (strcmp(w, "prefix") == 0)
        sn_plan.prefix = (uint32_t)number(p, 10);
    else if (strcmp(w, "sleep") == 0)
        add_sleeper(p);
    else if (strcmp(w, "e") == 0)
        add_entry(p);
    while (**p && **p != '\n')
        ++*p;
    if (**p)
        ++*p;
}

static void set_filter(uint8_t all)
{
    if (filtered || all)
        for (unsigned i = 0; i < SN_PLAN_FILTER; i++)
            sn_plan_filter[i] = all;
    filtered = all;
}

static const char *load(size_t *bytes)
{
    char path[4200];
    const char *dir = sn_sink_dir();
    struct stat st;
    size_t n = strlen(dir);
    if (!n || n > sizeof path - 8)
        return 0;
    __builtin_memcpy(path, dir, n);
    __builtin_memcpy(path + n, "/plan", 6);
    long fd = sn_sys3(SYS_open, path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0)
        return 0;
    *bytes = sn_sys2(SYS_fstat, fd, &st) < 0 ? 0 : (size_t)st.st_size;
    char *text = sn_plan_map(*bytes + 1, false);
    size_t used = 0;
    long got;
    while (text && used < *bytes && (got = sn_sys3(SYS_read, fd, text + used, *bytes - used)) > 0)
        used += (size_t)got;
    sn_sys1(SYS_close, fd);
    return text;
}

/* Untouched pages cost nothing, so every table may have all of the lines. */
static bool make_tables(size_t lines)
{
    static size_t room;
    if (lines <= room)
        return true;
    room = lines;
    sn_plan.site = sn_plan_map(lines * sizeof *sn_plan.site, false);
    sn_plan.entry = sn_plan_map(lines * sizeof *sn_plan.entry, false);
    sn_plan.turn = sn_plan_map(lines * sizeof *sn_plan.turn, false);
    sn_plan.before = sn_plan_map(lines * sizeof *sn_plan.before, false);
    sn_plan.sleeper = sn_plan_map(lines * sizeof *sn_plan.sleeper, false);
    return sn_plan.site && sn_plan.entry && sn_plan.turn && sn_plan.before && sn_plan.sleeper;
}

void sn_plan_take(const char *text, size_t bytes)
{
    sn_plan = (struct sn_plan){.strategy = "random",
                               .site = sn_plan.site,
                               .entry = sn_plan.entry,
                               .turn = sn_plan.turn,
                               .before = sn_plan.before,
                               .sleeper = sn_plan.sleeper};
    set_filter(0);
    if (!make_tables(bytes / LINE_LEAST + 64))
        return;
    for (const char *p = text; *p;)
        line(&p);
    if (sn_plan.points >= SN_POINTS_ALL)
        set_filter(1);
}

void sn_plan_read(void)
{
    size_t bytes = 0;
    const char *text = load(&bytes);
    if (!text)
        return;
    sn_plan_take(text, bytes);
    sn_unmap((void *)text, bytes + 1);
}

bool sn_plan_is_site(uintptr_t pc)
{
    uint32_t low = 0, high = sn_plan.nsites;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (sn_plan.site[mid] < pc)
            low = mid + 1;
        else
            high = mid;
    }
    return low < sn_plan.nsites && sn_plan.site[low] == pc;
}

static int compare(const struct sn_plan_entry *e, uint32_t thread, uint32_t count)
{
    if (e->thread != thread)
        return e->thread < thread ? -1 : 1;
    return e->count == count ? 0 : e->count < count ? -1 : 1;
}

static bool fits(uint32_t wanted, uint32_t kind)
{
    return wanted == SN_LOG_PREEMPT ? kind == SN_LOG_PREEMPT || kind == SN_LOG_FORCED
                                    : kind == wanted;
}

const struct sn_plan_entry *sn_plan_find(uint32_t kind, uint32_t thread, uint32_t count)
{
    uint32_t low = 0, high = sn_plan.nentries;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (compare(&sn_plan.entry[mid], thread, count) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    for (; low < sn_plan.nentries && compare(&sn_plan.entry[low], thread, count) == 0; low++)
        if (fits(kind, sn_plan.entry[low].kind) && sn_plan.entry[low].process == sn_sched.process)
            return &sn_plan.entry[low];
    return 0;
}
