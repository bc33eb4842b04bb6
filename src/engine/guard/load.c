/* load.c: the invariants that the command has put into the run folder (core/invariants.h). */
#include "guard.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "core/invariants.h"
#include "core/sys.h"
#include "runtime/hook.h"
#include "runtime/modules.h"

static const struct sn_inv_head *head;
static const struct sn_inv_module *modules;
static const struct sn_inv_site *sites;
static const uint32_t *members;

static const void *map_file(const char *dir, size_t *bytes)
{
    char path[4096 + 32];
    struct stat st;
    size_t n = dir ? strlen(dir) : sizeof path;
    if (n > 4096)
        return 0;
    memcpy(path, dir, n);
    memcpy(path + n, "/" SN_INV_FILE, sizeof "/" SN_INV_FILE);
    long fd = sn_sys3(SYS_open, path, O_RDONLY | O_CLOEXEC, 0), p = -1;
    if (fd < 0)
        return 0;
    if (sn_sys2(SYS_fstat, fd, &st) == 0 && st.st_size >= (long)sizeof *head)
        p = sn_sys6(SYS_mmap, 0, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    sn_sys1(SYS_close, fd);
    if ((unsigned long)p >= (unsigned long)-4095)
        return 0;
    *bytes = (size_t)st.st_size;
    return (const void *)p;
}

void sn_inv_load(void)
{
    size_t bytes = 0;
    const struct sn_inv_head *h = map_file(sn_run_dir, &bytes);
    if (!h || h->magic != SN_INV_MAGIC ||
        bytes < sizeof *h + h->nmodules * sizeof *modules + h->nsites * sizeof *sites +
                    h->nmembers * sizeof *members)
        return;
    modules = (const void *)(h + 1);
    sites = (const void *)(modules + h->nmodules);
    members = (const void *)(sites + h->nsites);
    head = h;
    sn_guard.ninv = h->nsites;
    for (uint32_t i = 0; i < h->nsites; i++)
        if (sites[i].flags == SN_INV_STALL) /* no belonging set: a lock */
            sn_guard.lock_points = true;
}

static int compare(const struct sn_inv_site *s, const char *module, uint64_t offset)
{
    int c = strncmp(modules[s->module].name, module, SN_INV_MODULE_BYTES - 1);
    return c ? c : s->offset < offset ? -1 : s->offset > offset;
}

void sn_inv_site(struct sn_guard_site *s)
{
    const char *module;
    uint64_t offset;
    if (!head || !sn_modules_name(s->pc, &module, &offset))
        return;
    uint32_t low = 0, high = head->nsites;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        int c = compare(&sites[mid], module, offset);
        if (c == 0) {
            s->flags = sites[mid].flags;
            s->set = members + sites[mid].first;
            s->nset = sites[mid].count;
            s->id = mid + 1;
            return;
        }
        if (c < 0)
            low = mid + 1;
        else
            high = mid;
    }
}

uintptr_t sn_inv_address(uint32_t id)
{
    if (!head || !id || id > head->nsites)
        return 0;
    return sn_modules_address(modules[sites[id - 1].module].name, sites[id - 1].offset);
}
