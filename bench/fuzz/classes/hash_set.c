/* hash_set.c: buckets with locks of their own; the count and the table's growth have none. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { LOCKS = 8 };
static int *table, capacity = 16, count;
static pthread_mutex_t lock[LOCKS];

static void grow(void)
{
    int *bigger = calloc((size_t)capacity * 2, sizeof *bigger), *old = table;
    memcpy(bigger, table, (size_t)capacity * sizeof *bigger);
    table = bigger;
    capacity *= 2;
    free(old);
}

static void insert(int key)
{
    pthread_mutex_t *l = &lock[key % LOCKS];
    pthread_mutex_lock(l);
    int i = key % capacity;
    for (int n = 0; n < capacity && table[i] && table[i] != key; n++)
        i = (i + 1) % capacity;
    if (!table[i]) {
        table[i] = key;
        if (++count > capacity / 2)
            grow();
    }
    pthread_mutex_unlock(l);
}

static void *worker(void *arg)
{
    for (int i = 1; i <= 8; i++)
        insert(i * (int)(long)arg);
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    table = calloc((size_t)capacity, sizeof *table);
    for (int i = 0; i < LOCKS; i++)
        pthread_mutex_init(&lock[i], NULL);
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, (void *)(i + 1));
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
