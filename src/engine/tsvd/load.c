/*
 * load.c: the trap set of earlier runs (section 3.4.6). A place is recognised when it is reached
 * for the first time, and is delayed at once: that is for conflicts that happen only once in a run.
 */
#include "tsvd.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "core/spin.h"
#include "core/sys.h"
#include "core/trapset.h"
#include "runtime/hook.h"
#include "record.h"
#include "runtime/modules.h"
#include "runtime/redirect.h"

static const struct sn_trapset_pair *expected;
static uint32_t (*seen)[2]; /* the two places of each pair; 0: not reached yet. Under `lock` */
static uint32_t lock;

void sn_trapset_read(void)
{
    char path[4096 + 32];
    struct stat st;
    size_t n = sn_run_dir ? strlen(sn_run_dir) : sizeof path;
    if (n > 4096)
        return;
    memcpy(path, sn_run_dir, n);
    memcpy(path + n, "/" SN_TRAPSET_FILE, sizeof "/" SN_TRAPSET_FILE);
    long fd = sn_sys3(SYS_open, path, O_RDONLY | O_CLOEXEC, 0), p = -1;
    if (fd < 0)
        return;
    if (sn_sys2(SYS_fstat, fd, &st) == 0 && st.st_size >= (long)sizeof *expected)
        p = sn_sys6(SYS_mmap, 0, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    sn_sys1(SYS_close, fd);
    if ((unsigned long)p >= (unsigned long)-4095)
        return;
    uint32_t pairs = (uint32_t)((size_t)st.st_size / sizeof *expected);
    expected = (const void *)p;
    seen = sn_map(pairs * sizeof *seen);
    sn_tsvd.nexpected = seen && pairs <= SN_TRAPSET_MAX ? pairs : 0;
}

static void arm(const char *name)
{
    char have[SN_TSVD_NAME];
    for (uint32_t i = 0; i < sn_contracts->nobjects; i++) {
        if (!sn_contract_object(i)->hidden)
            continue;
        sn_tsvd_state_name(i, have);
        if (strncmp(have, name, sizeof have - 1) == 0)
            sn_redirect_arm(i);
    }
}

void sn_trapset_arm(void)
{
    for (uint32_t i = 0; sn_contracts && i < sn_tsvd.nexpected; i++)
        if (!expected[i].a.module[0])
            arm(expected[i].a.call);
}

static bool is_at(const struct sn_trapset_place *place, const char *module, uint64_t offset,
                  const char *name)
{
    return offset - 1 >= place->low && offset - 1 < place->high &&
           strncmp(place->call, name, sizeof place->call - 1) == 0 &&
           strncmp(place->module, module, sizeof place->module - 1) == 0;
}

/* Under the lock. */
static void look_at(uint32_t i, uint32_t point, const char *module, uint64_t offset,
                    const char *name)
{
    bool was = seen[i][0] && seen[i][1], is = false;
    if (!seen[i][0] && is_at(&expected[i].a, module, offset, name)) {
        seen[i][0] = point;
        is = true;
    }
    if (!seen[i][1] && is_at(&expected[i].b, module, offset, name)) {
        seen[i][1] = point;
        is = true;
    }
    if (expected[i].quiet)
        return;
    if (is)
        sn_pair_expect(point);
    if (!was && seen[i][0] && seen[i][1])
        sn_pair_put(seen[i][0], seen[i][1]);
}

bool sn_pair_is_quiet(uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < sn_tsvd.nexpected; i++)
        if (expected[i].quiet &&
            ((seen[i][0] == a && seen[i][1] == b) || (seen[i][0] == b && seen[i][1] == a)))
            return true;
    return false;
}

void sn_trapset_point(uint32_t point)
{
    const char *module;
    uint64_t offset;
    if (!sn_modules_contain(sn_points[point].pc))
        sn_modules_refresh();
    if (!sn_modules_name(sn_points[point].pc, &module, &offset))
        return;
    sn_spin_lock(&lock);
    for (uint32_t i = 0; i < sn_tsvd.nexpected; i++)
        look_at(i, point, module, offset, sn_point_name(point));
    sn_spin_unlock(&lock);
}
