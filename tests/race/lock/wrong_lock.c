// Each thread holds a lock, but not the same one.
// EXPECT: data-race RACE1 RACE2
// EXPECT-OBJECT: global shared
// EXPECT-LOCKS: RACE1 one
// EXPECT-LOCKS: RACE2 two
#include "invisible.h"

int shared;
pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;

static void first(void)
{
    pthread_mutex_lock(&one);
    shared++; // RACE1
    pthread_mutex_unlock(&one);
}

static void second(void)
{
    pthread_mutex_lock(PICK(&two, &one));
    shared++; // RACE2
    pthread_mutex_unlock(PICK(&two, &one));
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
