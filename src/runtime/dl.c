/*
 * dl.c: dlclose. The modules are looked at before it, since the frames of what goes are still
 * wanted afterwards, and what it unmapped is forgotten, since something else will be there next.
 *
 * dlopen is not interposed: it looks at its caller's address for RUNPATH and $ORIGIN, which a
 * wrapper would change. New modules are found when a report needs them.
 */
#include <link.h>

#include "core/spin.h"
#include "runtime/emit.h"
#include "runtime/instrumented.h"
#include "runtime/modules.h"
#include "runtime/real.h"

enum { MAX_MODULES = 1024 };

struct range {
    uintptr_t low, high;
};

struct loaded {
    struct range range[MAX_MODULES];
    int n;
};

static uint32_t lock; /* guards the two below */
static struct loaded before SN_LARGE, after SN_LARGE;

static int note(struct dl_phdr_info *info, size_t size, void *p)
{
    struct loaded *l = p;
    uintptr_t low = UINTPTR_MAX, high = 0;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
        uintptr_t from = info->dlpi_addr + ph->p_vaddr;
        if (ph->p_type != PT_LOAD)
            continue;
        low = from < low ? from : low;
        high = from + ph->p_memsz > high ? from + ph->p_memsz : high;
    }
    if (low < high && l->n < MAX_MODULES)
        l->range[l->n++] = (struct range){low, high};
    return 0;
}

static bool contains(const struct loaded *l, struct range r)
{
    for (int i = 0; i < l->n; i++)
        if (l->range[i].low == r.low && l->range[i].high == r.high)
            return true;
    return false;
}

static void forget_unloaded(struct sn_thread *t, uintptr_t pc)
{
    for (int i = 0; i < before.n; i++)
        if (!contains(&after, before.range[i]))
            SN_EMIT(t, UNMAP, .addr = before.range[i].low,
                    .size = before.range[i].high - before.range[i].low, .pc = pc);
}

/* The module's destructors run in the real call. Of two dlclose at once only one compares. */
SN_EXPORT int dlclose(void *handle)
{
    uintptr_t pc = SN_CALLER;
    struct sn_thread *t = sn_hook_enter(pc);
    if (!t)
        return sn_pass(dlclose)(handle);
    bool mine = !__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE);
    int r;
    sn_modules_refresh();
    if (mine) {
        before.n = after.n = 0;
        dl_iterate_phdr(note, &before);
    }
    SN_OUTSIDE(t, r, sn_real.dlclose(handle));
    if (mine) {
        dl_iterate_phdr(note, &after);
        forget_unloaded(t, pc);
        sn_spin_unlock(&lock);
    }
    sn_instrumented_forget();
    sn_modules_refresh();
    sn_hook_leave(t);
    return r;
}
