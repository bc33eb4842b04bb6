// A bounded queue with one mutex and two conditions; the bug takes the length without the mutex.
// EXPECT: data-race RACE1 RACE2
// EXPECT-OBJECT: global length
// EXPECT-STDOUT: 499500
#include <stdio.h>
#include "invisible.h"

enum { SIZE = 4, ITEMS = 1000 };
int queue[SIZE], length, head, seen;
long sum;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;

static void *producer(void *arg)
{
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&mutex);
        while (length == SIZE)
            pthread_cond_wait(&not_full, &mutex);
        queue[(head + length++) % SIZE] = i; // RACE1
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&mutex);
        hidden_post(0);
    }
    return arg;
}

static void *consumer(void *arg)
{
    hidden_wait(0);
    BUG(seen = length;) // RACE2
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&mutex);
        while (length == 0)
            pthread_cond_wait(&not_empty, &mutex);
        sum += queue[head];
        head = (head + 1) % SIZE;
        length--;
        pthread_cond_signal(&not_full);
        pthread_mutex_unlock(&mutex);
    }
    return arg;
}

int main(void)
{
    pthread_t p, c;
    pthread_create(&p, NULL, producer, NULL);
    pthread_create(&c, NULL, consumer, NULL);
    pthread_join(p, NULL);
    pthread_join(c, NULL);
    printf("%ld\n", sum);
    return 0;
}
