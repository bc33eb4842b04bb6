// A barrier for three, met by two.
// EXPECT: deadlock MEET MEET JOIN
#include "../twin.h"

static pthread_barrier_t barrier;

static void *work(void *arg)
{
    pthread_barrier_wait(&barrier); // MEET
    return arg;
}

int main(void)
{
    pthread_t t[2];
    pthread_barrier_init(&barrier, NULL, PICK(3, 2));
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL); // JOIN
    return 0;
}
