// A barrier for three, and only two come.
// EXPECT: deadlock WAIT WAIT JOIN
// EXPECT-TEXT: no thread can go on
// PEER: tsan cannot: hangs
#include "invisible.h"

pthread_barrier_t barrier;

static void *come(void *arg)
{
    pthread_barrier_wait(&barrier); // WAIT
    return arg;
}

int main(void)
{
    pthread_t t[2];
    pthread_barrier_init(&barrier, NULL, PICK(3, 2));
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, come, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL); // JOIN
    return 0;
}
