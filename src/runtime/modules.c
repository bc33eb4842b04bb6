/*
 * modules.c: a table of modules in the order in which they were first seen. An entry stays when its
 * module is unloaded, so that what was recorded about it keeps its name; a live module wins where
 * addresses were used again.
 */
#include "modules.h"

#include <elf.h>
#include <link.h>
#include <string.h>

#include "core/spin.h"
#include "core/sys.h"
#include "runtime/namespace.h"
#include "runtime/sink.h"

enum { MAX_MODULES = 2048, PATHS = 1 << 19 };

struct module {
    uintptr_t base, start, end;
    uintptr_t tls_size, tls_offset; /* offset: thread pointer minus start of the TLS block */
    const char *path;
    uint8_t build_id[32];
    uint32_t build_id_bytes;
    uint8_t live, written, is_tls;
};

static struct {
    struct module m[MAX_MODULES];
    uint32_t n;    /* atomic */
    uint32_t lock; /* writers */
    char paths[PATHS];
    uint32_t paths_used;
    char exe[4096];
} table SN_LARGE;

static const char *keep_path(const char *s)
{
    size_t n = strlen(s) + 1;
    if (table.paths_used + n > PATHS)
        return "";
    char *to = table.paths + table.paths_used;
    memcpy(to, s, n);
    table.paths_used += (uint32_t)n;
    return to;
}

static void read_build_id(struct module *m, uintptr_t addr, size_t size)
{
    for (size_t at = 0; at + sizeof(ElfW(Nhdr)) <= size;) {
        const ElfW(Nhdr) *n = (const void *)(addr + at);
        size_t name = (n->n_namesz + 3) & ~3u, desc = (n->n_descsz + 3) & ~3u;
        const uint8_t *d = (const uint8_t *)(n + 1) + name;
        if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 && n->n_descsz <= sizeof m->build_id) {
            memcpy(m->build_id, d, n->n_descsz);
            m->build_id_bytes = n->n_descsz;
            return;
        }
        at += sizeof *n + name + desc;
    }
}

static void describe(struct module *m, const struct dl_phdr_info *info)
{
    uintptr_t low = UINTPTR_MAX, high = 0, tp;
    __asm__("mov %%fs:0x10, %0" : "=r"(tp));
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_LOAD) {
            low = start < low ? start : low;
            high = start + p->p_memsz > high ? start + p->p_memsz : high;
        } else if (p->p_type == PT_NOTE) {
            read_build_id(m, start, p->p_memsz);
        } else if (p->p_type == PT_TLS && info->dlpi_tls_data) {
            m->is_tls = 1;
            m->tls_size = p->p_memsz;
            m->tls_offset = tp - (uintptr_t)info->dlpi_tls_data;
        }
    }
    m->base = info->dlpi_addr;
    m->start = low;
    m->end = high;
}

static int same(const struct module *a, const struct module *b)
{
    return a->start == b->start && a->end == b->end && a->build_id_bytes == b->build_id_bytes &&
           memcmp(a->build_id, b->build_id, a->build_id_bytes) == 0;
}

static int visit(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct module seen = {0};
    (void)size, (void)arg;
    describe(&seen, info);
    if (seen.end <= seen.start)
        return 0;
    for (uint32_t i = 0; i < table.n; i++)
        if (same(&table.m[i], &seen)) {
            table.m[i].live = 1;
            return 0;
        }
    if (table.n == MAX_MODULES)
        return 0;
    const char *name = info->dlpi_name;
    if ((!name || !*name) && table.n == 0)
        name = table.exe;
    seen.path = keep_path(name ? name : "");
    seen.live = 1;
    table.m[table.n] = seen;
    __atomic_store_n(&table.n, table.n + 1, __ATOMIC_RELEASE);
    return 0;
}

static void visit_other(const struct dl_phdr_info *info, int space)
{
    (void)space;
    visit((struct dl_phdr_info *)info, sizeof *info, 0);
}

/* Called for the program itself. */
static int visit_namespaces(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct sn_elf program;
    (void)size, (void)arg;
    if (sn_elf_read(&program, info))
        sn_namespace_each(&program, visit_other);
    return 1;
}

void sn_modules_refresh(void)
{
    static uint32_t busy; /* one refresher at a time; nobody waits for another inside dl code */
    if (__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE))
        return;
    if (!table.exe[0]) {
        long n = sn_sys3(SYS_readlink, "/proc/self/exe", table.exe, sizeof table.exe - 1);
        table.exe[n > 0 ? n : 0] = 0;
    }
    for (uint32_t i = 0; i < table.n; i++)
        table.m[i].live = 0;
    dl_iterate_phdr(visit, 0);
    dl_iterate_phdr(visit_namespaces, 0);
    __atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
}

void sn_modules_forked(void)
{
    for (uint32_t i = 0; i < table.n; i++)
        if (table.m[i].written)
            table.m[i].written =
                0; /* no write where there is nothing to change: the page is shared */
}

static struct module *find(uintptr_t addr)
{
    struct module *dead = 0;
    for (uint32_t i = 0, n = __atomic_load_n(&table.n, __ATOMIC_ACQUIRE); i < n; i++) {
        struct module *m = &table.m[i];
        if (addr < m->start || addr >= m->end)
            continue;
        if (m->live)
            return m;
        dead = m;
    }
    return dead;
}

static void write_record(struct module *m)
{
    struct {
        struct sn_rec_module rec;
        char path[4096];
    } out;
    size_t n = strlen(m->path);
    out.rec = (struct sn_rec_module){.index = (uint32_t)(m - table.m),
                                     .build_id_bytes = m->build_id_bytes,
                                     .base = m->base,
                                     .start = m->start,
                                     .end = m->end};
    memcpy(out.rec.build_id, m->build_id, sizeof m->build_id);
    if (n > sizeof out.path)
        n = sizeof out.path;
    memcpy(out.path, m->path, n);
    sn_sink_write(SN_REC_MODULE, &out, sizeof out.rec + n);
}

static sn_frame_ref frame_in(struct module *m, uintptr_t offset)
{
    if (SN_UNLIKELY(!__atomic_load_n(&m->written, __ATOMIC_ACQUIRE)) &&
        !__atomic_exchange_n(&m->written, 1, __ATOMIC_ACQ_REL))
        write_record(m);
    return SN_FRAME((uint32_t)(m - table.m), offset);
}

sn_frame_ref sn_modules_frame(uintptr_t addr)
{
    struct module *m = find(addr);
    return m ? frame_in(m, addr - m->base) : SN_FRAME(SN_NO_MODULE, addr);
}

bool sn_modules_info(uint32_t index, struct sn_module_info *out)
{
    if (index >= __atomic_load_n(&table.n, __ATOMIC_ACQUIRE))
        return false;
    const struct module *m = &table.m[index];
    *out =
        (struct sn_module_info){m->path, m->build_id, m->build_id_bytes, m->base, m->start, m->end};
    return true;
}

uintptr_t sn_modules_address(const char *name, uint64_t offset)
{
    for (uint32_t i = 0; i < table.n; i++) {
        const char *slash = strrchr(table.m[i].path, '/');
        if (table.m[i].live && strcmp(slash ? slash + 1 : table.m[i].path, name) == 0)
            return table.m[i].base + offset;
    }
    return 0;
}

bool sn_modules_contain(uintptr_t addr)
{
    return find(addr) != 0;
}

bool sn_modules_loaded(uintptr_t addr)
{
    const struct module *m = find(addr);
    return m && m->live;
}

bool sn_modules_name(uintptr_t addr, const char **name, uint64_t *offset)
{
    const struct module *m = find(addr);
    if (!m)
        return false;
    const char *slash = strrchr(m->path, '/');
    *name = slash ? slash + 1 : m->path;
    *offset = addr - m->base;
    return true;
}

bool sn_modules_tls(uintptr_t addr, uintptr_t tp, sn_frame_ref *out)
{
    for (uint32_t i = 0, n = __atomic_load_n(&table.n, __ATOMIC_ACQUIRE); i < n; i++) {
        struct module *m = &table.m[i];
        uintptr_t block = tp - m->tls_offset;
        if (m->live && m->is_tls && addr >= block && addr < block + m->tls_size) {
            *out = frame_in(m, addr - block);
            return true;
        }
    }
    return false;
}
