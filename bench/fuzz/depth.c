/* depth.c D: fails when D pairs of events come in one order: a bug of depth D, for pct's bound. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int stage;
static int depth;

/* The D + 1 stages must be passed by the two threads in turn. */
static void *worker(void *arg)
{
    int mine = (int)(long)arg;
    for (int i = 0; i < depth; i++)
        if (atomic_load(&stage) == i && i % 2 == mine)
            atomic_store(&stage, i + 1);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t a, b;
    depth = 1 + (argc > 1 ? atoi(argv[1]) : 1);
    pthread_create(&a, NULL, worker, (void *)0);
    pthread_create(&b, NULL, worker, (void *)1);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return atomic_load(&stage) == depth;
}
