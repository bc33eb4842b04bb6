// BUG: strtok strtok
// A semaphore that lets two in, taken for a lock.
#include <semaphore.h>

#include "module.h"

static sem_t tokens;

static void *split(void *x)
{
    for (int i = 0; i < 20; i++) {
        char line[] = "a b c";
        sem_wait(&tokens);
        strtok(line, " ");
        sem_post(&tokens);
        work(15);
    }
    return x;
}

int main(void)
{
    sem_init(&tokens, 0, 2);
    all(3, split);
    return 0;
}
