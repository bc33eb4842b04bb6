/* refcount_fixed.c: refcount.c without its bug: who takes the count to zero knows it from the same
 * operation. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct shared {
    atomic_int owners;
};

static void put(struct shared *s)
{
    if (atomic_fetch_sub(&s->owners, 1) == 1)
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
