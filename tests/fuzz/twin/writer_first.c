/*
 * writer_first.c: a lock that lets no reader in while a writer waits, read-locked twice by the same thread. With -DFIXED
 * once.
 */
// EXPECT: confirmed deadlock harmful
// EXPECT: effect deadlock
#define _GNU_SOURCE
#include <pthread.h>

static pthread_rwlock_t l;
static int value;

static int inner(void)
{
#ifdef FIXED
    return value;
#else
    pthread_rwlock_rdlock(&l);
    int seen = value;
    pthread_rwlock_unlock(&l);
    return seen;
#endif
}

static void *reader(void *arg)
{
    pthread_rwlock_rdlock(&l);
    int seen = inner();
    pthread_rwlock_unlock(&l);
    return seen ? arg : NULL;
}

static void *writer(void *arg)
{
    pthread_rwlock_wrlock(&l);
    value++;
    pthread_rwlock_unlock(&l);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    pthread_rwlockattr_t a;
    pthread_rwlockattr_init(&a);
    pthread_rwlockattr_setkind_np(&a, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&l, &a);
    pthread_create(&t[0], NULL, reader, NULL);
    pthread_create(&t[1], NULL, writer, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
