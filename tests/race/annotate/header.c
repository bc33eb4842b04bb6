// The annotations of <snag.h>: an order that snag cannot see, a race that is wanted, accesses that are
// not to be looked at, memory handed out again, and a lock of the program's own. Each is left out once.
// EXPECT: data-race FIRST/write SECOND/write
// EXPECT-OBJECT: global ordered
// EXPECT: data-race WANTED_1/write WANTED_2/write
// EXPECT-OBJECT: global wanted
// EXPECT: data-race UNSEEN_1/write UNSEEN_2/write
// EXPECT-OBJECT: global unseen
// EXPECT: data-race POOL_1/write POOL_2/write
// EXPECT-OBJECT: global pool
// EXPECT: data-race GUARDED_1/write GUARDED_2/write
// EXPECT-OBJECT: global guarded
#include "invisible.h"

#include <snag.h>

int ordered, wanted, unseen, pool[4], guarded, lock;

/* The order of the two threads is the test's: whoever comes finds the lock free. */
static void take(void)
{
    FIX(SNAG_LOCKING(&lock));
    FIX(SNAG_LOCKED(&lock));
}

static void give(void)
{
    FIX(SNAG_UNLOCKING(&lock));
    FIX(SNAG_UNLOCKED(&lock));
}

static void try_and_fail(void)
{
    FIX(SNAG_TRY_LOCKING(&lock));
    FIX(SNAG_LOCK_FAILED(&lock));
}

static void first(void)
{
    ordered = 1; // FIRST
    FIX(SNAG_HAPPENS_BEFORE(&ordered));
    wanted = 1; // WANTED_1
    FIX(SNAG_IGNORE_BEGIN());
    unseen = 1; // UNSEEN_1
    FIX(SNAG_IGNORE_END());
    pool[1] = 1; // POOL_1
    take();
    guarded = 1; // GUARDED_1
    give();
}

static void second(void)
{
    wanted = 2; // WANTED_2
    unseen = 2; // UNSEEN_2
    FIX(SNAG_NEW_MEMORY(pool, sizeof pool));
    pool[1] = 2; // POOL_2
    try_and_fail();
    take();
    guarded = 2; // GUARDED_2
    give();
    FIX(SNAG_HAPPENS_AFTER(&ordered));
    ordered = 2; // SECOND
}

int main(void)
{
    FIX(SNAG_BENIGN(wanted, "either value will do"));
    FIX(SNAG_LOCK_CREATE(&lock));
    run_in_order(first, second);
    FIX(SNAG_LOCK_DESTROY(&lock));
    return 0;
}
