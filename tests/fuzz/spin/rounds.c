/*
 * A spin lock of the program's own, without the memory order that it needs: the race inside is
 * formal, and no schedule brings it about. Threads that try to get it again and again must not keep
 * the one that has it from going on: each execution ends.
 */
#include <pthread.h>
#include <stdatomic.h>

#ifdef FIXED
#define TAKES memory_order_acquire
#define GIVES memory_order_release
#else
#define TAKES memory_order_relaxed
#define GIVES memory_order_relaxed
#endif

enum { WORKERS = 3, ROUNDS = 200 };
static atomic_int locked;
static int inside;

static void add(void)
{
    int seen = 0;
    while (!atomic_compare_exchange_strong_explicit(&locked, &seen, 1, TAKES, memory_order_relaxed))
        seen = 0;
    inside++; /* inside the lock */
    atomic_store_explicit(&locked, 0, GIVES);
}

static void *work(void *arg)
{
    for (int i = 0; i < ROUNDS; i++)
        add();
    return arg;
}

int main(void)
{
    pthread_t t[WORKERS];
    for (int i = 0; i < WORKERS; i++)
        if (pthread_create(&t[i], NULL, work, NULL))
            return 99;
    for (int i = 0; i < WORKERS; i++)
        pthread_join(t[i], NULL);
    return inside == WORKERS * ROUNDS ? 0 : 1;
}
