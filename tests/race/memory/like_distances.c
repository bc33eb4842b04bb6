// Four racing pairs whose places in the code have the same sum: each is told.
// EXPECT: data-race WRITE1/write RACE1/write
// EXPECT: data-race WRITE2/write RACE2/write
// EXPECT: data-race WRITE3/write RACE3/write
// EXPECT: data-race WRITE4/write RACE4/write
#include "invisible.h"

struct {
    _Alignas(8) int value;
} a, b, c, d;
FIX(static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;)

static void first(void)
{
    FIX(pthread_mutex_lock(&lock);)
    a.value = 1; // WRITE1
    b.value = 1; // WRITE2
    c.value = 1; // WRITE3
    d.value = 1; // WRITE4
    FIX(pthread_mutex_unlock(&lock);)
}

/* In the opposite order: what is further in the code here was less far there. */
static void second(void)
{
    FIX(pthread_mutex_lock(&lock);)
    d.value = 2; // RACE4
    c.value = 2; // RACE3
    b.value = 2; // RACE2
    a.value = 2; // RACE1
    FIX(pthread_mutex_unlock(&lock);)
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
