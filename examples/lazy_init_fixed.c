/* lazy_init_fixed.c: lazy_init.c without its bug: the flag is atomic, and releases the table. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool ready;
static int squares[100];

static int square(int n)
{
    if (!atomic_load_explicit(&ready, memory_order_acquire)) {
        pthread_mutex_lock(&lock);
        for (int i = 0; !ready && i < 100; i++)
            squares[i] = i * i;
        atomic_store_explicit(&ready, true, memory_order_release);
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
