/* three_locks.c: three threads, three locks, each pair in its own order: a circle of three. */
// EXPECT: confirmed deadlock harmful
#include <pthread.h>
#include <stdint.h>

static pthread_mutex_t l[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                               PTHREAD_MUTEX_INITIALIZER};
static int n;

static void *run(void *arg)
{
    int i = (int)(intptr_t)arg, j = (i + 1) % 3;
#ifdef FIXED
    if (i > j) {
        int k = i;
        i = j;
        j = k;
    }
#endif
    pthread_mutex_lock(&l[i]);
    pthread_mutex_lock(&l[j]);
    __atomic_fetch_add(&n, 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&l[j]);
    pthread_mutex_unlock(&l[i]);
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, run, (void *)(intptr_t)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return n != 3;
}
