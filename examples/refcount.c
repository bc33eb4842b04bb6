/*
 * refcount.c: the count is atomic, but whoever looks at it afterwards looks too late. Kind:
 * atomicity violation: both owners see zero and both free. Find it with `snag hunt`: free() aborts.
 * refcount_fixed.c is its twin.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct shared {
    atomic_int owners;
};

static void put(struct shared *s)
{
    atomic_fetch_sub(&s->owners, 1);
    if (atomic_load(&s->owners) == 0)
        free(s);
}

static void *use(void *arg)
{
    put(arg);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    struct shared *s = malloc(sizeof *s);
    atomic_init(&s->owners, 2);
    pthread_create(&a, NULL, use, s);
    pthread_create(&b, NULL, use, s);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
