// A semaphore as a lock, with one place too many.
// EXPECT: data-race WORK/write WORK
#include "../twin.h"

#include <semaphore.h>

static sem_t sem;
static int n;

static void *work(void *arg)
{
    sem_wait(&sem);
    n++; // WORK
    sem_post(&sem);
    return arg;
}

int main(void)
{
    sem_init(&sem, 0, PICK(2, 1));
    run_two(work, work);
    sem_destroy(&sem);
    return n;
}
