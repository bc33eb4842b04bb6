// The mutexes of <threads.h>: plain, recursive, timed, try.
// EXPECT: data-race RACE1 RACE1
// EXPECT-OBJECT: global shared
// PEER: tsan cannot: it does not know <threads.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>
#include "invisible.h"

int shared[4];
mtx_t mutex[4];

static void both(void)
{
    FIX(struct timespec later = {0, 0});
    FIX(timespec_get(&later, TIME_UTC));
    FIX(later.tv_sec += 1000);
    for (int i = 0; i < 4; i++) {
        FIX(if (i == 0) mtx_lock(&mutex[i]));
        FIX(if (i == 1 && (mtx_lock(&mutex[i]) || mtx_lock(&mutex[i]))) abort());
        FIX(if (i == 2 && mtx_timedlock(&mutex[i], &later)) abort());
        FIX(if (i == 3 && mtx_trylock(&mutex[i])) abort());
        FIX(if (i == 1) mtx_unlock(&mutex[i]));
        shared[i]++; // RACE1
        FIX(mtx_unlock(&mutex[i]));
    }
}

int main(void)
{
    mtx_init(&mutex[0], mtx_plain);
    mtx_init(&mutex[1], mtx_plain | mtx_recursive);
    mtx_init(&mutex[2], mtx_timed);
    mtx_init(&mutex[3], mtx_plain);
    run_in_order(both, both);
    for (int i = 0; i < 4; i++)
        mtx_destroy(&mutex[i]);
    return 0;
}
