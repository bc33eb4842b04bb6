// 5,000 locks held at once by one thread.
// EXPECT: data-race RACE1/write RACE2/write
// EXPECT-OBJECT: global shared
// PEER: tsan cannot: it holds 64 at most
#include "invisible.h"

enum { LOCKS = 5000 };
int shared;
static pthread_mutex_t lock[LOCKS];

static void first(void)
{
    for (int i = 0; i < LOCKS; i++)
        pthread_mutex_lock(&lock[i]);
    shared = 1; // RACE1
    for (int i = LOCKS - 1; i >= 0; i--)
        pthread_mutex_unlock(&lock[i]);
}

static void second(void)
{
    FIX(pthread_mutex_lock(&lock[LOCKS - 1]));
    shared = 2; // RACE2
    FIX(pthread_mutex_unlock(&lock[LOCKS - 1]));
}

int main(void)
{
    for (int i = 0; i < LOCKS; i++)
        pthread_mutex_init(&lock[i], NULL);
    run_in_order(first, second);
    return 0;
}
