// A ring of three orders in three threads.
// EXPECT: lock-order TAKE TAKE TAKE
#include "invisible.h"

pthread_mutex_t lock[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                           PTHREAD_MUTEX_INITIALIZER};

static void take(int from, int to)
{
    pthread_mutex_lock(&lock[from]);
    pthread_mutex_lock(&lock[to]); // TAKE
    pthread_mutex_unlock(&lock[to]);
    pthread_mutex_unlock(&lock[from]);
}

static void first(void)
{
    take(0, 1);
}

static void second(void)
{
    take(1, 2);
}

static void third(void)
{
    take(PICK(2, 0), PICK(0, 2));
}

int main(void)
{
    run_three_in_order(first, second, third);
    return 0;
}
