/* cache.c: four locks, and statistics without one (the paper's cache4j). */
#include <assert.h>
#include <pthread.h>

enum { SLOTS = 16, LOCKS = 4, THREADS = 3 };
static struct {
    int key, value, used;
} slot[SLOTS];
static pthread_mutex_t lock[LOCKS];
static int gets, misses, sleeping;

static int get(int key)
{
    pthread_mutex_t *l = &lock[key % LOCKS];
    pthread_mutex_lock(l);
    gets++;
    int i = key % SLOTS, value = slot[i].key == key ? slot[i].value : 0;
    if (!value) {
        misses++;
        slot[i].key = key;
        slot[i].value = value = key * 2;
    }
    slot[i].used++;
    pthread_mutex_unlock(l);
    return value;
}

static void *worker(void *arg)
{
    for (int i = 1; i <= 10; i++)
        assert(get(i + (int)(long)arg) == 2 * (i + (int)(long)arg));
    return NULL;
}

static void *cleaner(void *arg)
{
    sleeping = 1;
    for (int i = 0; i < SLOTS; i++) {
        pthread_mutex_lock(&lock[i % LOCKS]);
        slot[i].key = slot[i].value = 0;
        pthread_mutex_unlock(&lock[i % LOCKS]);
    }
    sleeping = 0;
    return arg;
}

int main(void)
{
    pthread_t t[THREADS + 1];
    for (int i = 0; i < LOCKS; i++)
        pthread_mutex_init(&lock[i], NULL);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    pthread_create(&t[THREADS], NULL, cleaner, NULL);
    for (int i = 0; i <= THREADS; i++)
        pthread_join(t[i], NULL);
    return misses > gets;
}
