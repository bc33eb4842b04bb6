/*
 * cache.c: a table of buckets, each under a spin lock of the program's own; hits are counted beside
 * it. EXCLUDE: bucket_lock bucket_unlock
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "greeting.h"
#include "work.h"

enum { THREADS = 3, BUCKETS = 4, KEYS = 16 };

struct bucket {
    atomic_int taken;
    int value[KEYS / BUCKETS];
};

static struct bucket table[BUCKETS];
static pthread_mutex_t admin = PTHREAD_MUTEX_INITIALIZER;
static int hits, misses, epoch, resized, last_key;
volatile int sink;

void bucket_lock(struct bucket *b)
{
    while (atomic_exchange(&b->taken, 1))
        ;
}

void bucket_unlock(struct bucket *b)
{
    atomic_store(&b->taken, 0);
}

static void look_up(int key)
{
    struct bucket *b = &table[key % BUCKETS];
    bucket_lock(b);
    int *v = &b->value[key / BUCKETS], known = *v;
    if (!known)
        *v = key + 1;
    bucket_unlock(b);
    if (known)
        hits++; /* no lock */
    else
        misses++; /* no lock */
}

static void *client(void *p)
{
    int n = *(int *)p;
    greet(n);
    for (int i = 0; i < n; i++) {
        do_work((unsigned)i);
        look_up(i * 7 % KEYS);
        if (i == n / 2)
            epoch = i; /* before the lock of last_key, without one of its own */
        pthread_mutex_lock(&admin);
        last_key = i;
        pthread_mutex_unlock(&admin);
    }
    return NULL;
}

static void *janitor(void *p)
{
    int n = *(int *)p;
    for (int i = 0; i < n / 4; i++) {
        pthread_mutex_lock(&admin);
        last_key = -1;
        pthread_mutex_unlock(&admin);
        if (epoch)
            resized = 1;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 20;
    pthread_t thread[THREADS], cleaner;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, client, &n);
    pthread_create(&cleaner, NULL, janitor, &n);
    sink = greeting();
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    pthread_join(cleaner, NULL);
    sink = resized + hits + misses;
    return 0;
}
