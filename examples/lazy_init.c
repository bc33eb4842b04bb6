/*
 * lazy_init.c: a table that is made when it is first needed. Whoever finds `ready` set uses the
 * table without the lock, and nothing says that it sees the table's content then. Kind: data race.
 * Find it with `snag race`. lazy_init_fixed.c is its twin.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool ready;
static int squares[100];

static int square(int n)
{
    if (!ready) {
        pthread_mutex_lock(&lock);
        for (int i = 0; !ready && i < 100; i++)
            squares[i] = i * i;
        ready = true;
        pthread_mutex_unlock(&lock);
    }
    return squares[n];
}

static void *worker(void *sum)
{
    for (int i = 0; i < 100; i++)
        *(int *)sum += square(i);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int sum_a = 0, sum_b = 0;
    pthread_create(&a, NULL, worker, &sum_a);
    pthread_create(&b, NULL, worker, &sum_b);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d %d\n", sum_a, sum_b);
    return 0;
}
