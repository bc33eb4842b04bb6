// pthread_once: whoever returns from it has seen the initialisation. A flag of one's own is no once.
// EXPECT: data-race RACE1/write RACE2
// EXPECT-OBJECT: global table
// ALLOW: data-race FLAG FLAG
#include "invisible.h"

int table[4], initialised, seen;
pthread_once_t once = PTHREAD_ONCE_INIT;

static void initialise(void)
{
    for (int i = 0; i < 4; i++)
        table[i] = i + 1; // RACE1
}

static void use(void)
{
    FIX(pthread_once(&once, initialise));
    BUG(if (!initialised) initialise());                   // FLAG
    BUG(initialised = 1);                                  // FLAG
    __atomic_fetch_add(&seen, table[3], __ATOMIC_RELAXED); // RACE2
}

int main(void)
{
    run_in_order(use, use);
    return seen - 8;
}
