/* log.c: see log.h. The environment is read from the kernel: no library is at hand. */
#include "log.h"

#include <fcntl.h>

#include "core/decimal.h"
#include "core/sys.h"
#include "standalone.h"

extern struct sn_sa_config sn_sa_config __attribute__((visibility("hidden")));

enum { MAX_LINES = 1000, LINE = 1024, PATH = 512 };

static char path[PATH];
static uint32_t state; /* 0 not looked, 1 looking, 2 there is a file, 3 none */
static uint32_t lines;

static int starts(const char *s, const char *with)
{
    while (*with)
        if (*s++ != *with++)
            return 0;
    return 1;
}

static uint32_t find_path(void)
{
    static const char name[] = "SNAG_GUARD_LOG=";
    char *all = sn_map(1 << 18);
    long fd = sn_sys3(SYS_open, "/proc/self/environ", O_RDONLY | O_CLOEXEC, 0), n = 0, used = 0;
    while (all && fd >= 0 && used < (1 << 18) - 2 &&
           (n = sn_sys3(SYS_read, fd, all + used, (1 << 18) - 2 - used)) > 0)
        used += n;
    if (fd >= 0)
        sn_sys1(SYS_close, fd);
    uint32_t found = 3;
    for (const char *s = all; s && s < all + used && *s;) {
        if (starts(s, name)) {
            uint32_t i = 0;
            for (s += sizeof name - 1; *s && i < PATH - 1; i++)
                path[i] = *s++;
            found = i ? 2 : 3;
        }
        while (*s)
            s++;
        s++;
    }
    if (all)
        sn_unmap(all, 1 << 18);
    return found;
}

static char *put(char *to, const char *end, const char *s)
{
    while (*s && to < end)
        *to++ = *s++;
    return to;
}

static const char *name_of(uint32_t id)
{
    const struct sn_sa_more *more =
        (const struct sn_sa_more *)((char *)&sn_sa_config + sn_sa_config.more);
    if (!id || id > sn_sa_config.nsites)
        return "nothing";
    return (char *)&sn_sa_config + sn_sa_config.strings + more[id - 1].name;
}

long sn_log_open(void)
{
    uint32_t none = 0;
    if (!state &&
        __atomic_compare_exchange_n(&state, &none, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        __atomic_store_n(&state, find_path(), __ATOMIC_RELEASE);
    if (state != 2 || __atomic_fetch_add(&lines, 1, __ATOMIC_RELAXED) >= MAX_LINES)
        return -1;
    return sn_sys3(SYS_open, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
}

void sn_log_violation(long fd, uint32_t site, uint32_t pred, int resolved, uint64_t ns)
{
    char line[LINE], *to = line, *end = line + LINE - 2, digits[SN_DECIMAL];
    if (fd < 0)
        return;
    sn_decimal(digits, ns / 1000000);
    to = put(to, end, name_of(site));
    to = put(to, end, "\tafter\t");
    to = put(to, end, name_of(pred));
    to = put(to, end, resolved ? "\tresolved\t" : "\ttimed out\t");
    to = put(to, end, digits);
    to = put(to, end, " ms");
    *to++ = '\n';
    sn_sys3(SYS_write, fd, line, to - line);
    sn_sys1(SYS_close, fd);
}
