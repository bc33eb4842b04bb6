// Each waits for the other's post.
// EXPECT: deadlock FIRST SECOND JOIN
#include "../twin.h"

#include <semaphore.h>

static sem_t a, b;

static void *first(void *arg)
{
    FIX(sem_post(&b));
    sem_wait(&a); // FIRST
    BUG(sem_post(&b));
    return arg;
}

static void *second(void *arg)
{
    sem_wait(&b); // SECOND
    sem_post(&a);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    sem_init(&a, 0, 0);
    sem_init(&b, 0, 0);
    pthread_create(&t[0], NULL, first, NULL);
    pthread_create(&t[1], NULL, second, NULL);
    pthread_join(t[0], NULL); // JOIN
    pthread_join(t[1], NULL);
    return 0;
}
