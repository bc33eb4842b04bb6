/*
 * hint.c: what usually fixes a kind of bug, in one line. When the locks say more, so does the hint.
 */
#include "report/text.h"

static const char *race_hint(const struct sn_finding *f)
{
    if (f->object.kind == SN_OBJ_HEAP && f->object.freed)
        return "wait for the other thread (join it, or count references) before the block is freed";
    if (f->nsites != 2 || !f->sites[0].locks_known || !f->sites[1].locks_known)
        return "guard every access with one and the same mutex, or make the variable atomic";
    if (f->sites[0].nlocks && f->sites[1].nlocks)
        return "the two sides hold different locks, or only read locks: hold one and the same for "
               "both";
    if (f->sites[0].nlocks || f->sites[1].nlocks)
        return "only one side holds a lock: take the same lock on the other side, too";
    return "guard every access with one and the same mutex, or make the variable atomic";
}

const char *sn_hint(const struct sn_finding *f)
{
    switch (f->kind) {
    case SN_KIND_DATA_RACE:
        return race_hint(f);
    case SN_KIND_THREAD_SAFETY:
        return "guard both calls with one mutex, or give each thread an object of its own";
    case SN_KIND_DEADLOCK:
    case SN_KIND_LOCK_ORDER:
        return "take these locks in the same order everywhere, or never one while holding the "
               "other";
    case SN_KIND_ORDER:
        return "make the later side wait for the earlier one: join, condition variable, semaphore";
    case SN_KIND_ATOMICITY:
        return "hold one lock over the whole sequence, not over each of its parts";
    case SN_KIND_MISUSE:
        return "follow every path to this line and see who holds the lock, and whether it still "
               "exists";
    default:
        return NULL;
    }
}
