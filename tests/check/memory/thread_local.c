// Thread-local variables are one per thread; a pointer to one is not.
// EXPECT: data-race OWN FOREIGN
#include "../twin.h"

_Thread_local int slot;
int *shared_slot;
pthread_barrier_t barrier;

static void *owner(void *arg)
{
    shared_slot = &slot;
    pthread_barrier_wait(&barrier);
    slot++; // OWN
    pthread_barrier_wait(&barrier);
    return arg;
}

static void *other(void *arg)
{
    pthread_barrier_wait(&barrier);
    ++*PICK(shared_slot, &slot); // FOREIGN
    pthread_barrier_wait(&barrier);
    return arg;
}

int main(void)
{
    pthread_barrier_init(&barrier, NULL, 2);
    run_two(owner, other);
    return 0;
}
