// One thread per barrier is told that it is the one.
// EXPECT: data-race ONE/write ONE
#include "../twin.h"

static pthread_barrier_t barrier;
static int n;

static void *work(void *arg)
{
    int r = pthread_barrier_wait(&barrier);
    if (PICK(1, r == PTHREAD_BARRIER_SERIAL_THREAD))
        n++; // ONE
    return arg;
}

int main(void)
{
    pthread_barrier_init(&barrier, NULL, 2);
    run_two(work, work);
    return n;
}
