// Bounded buffer between producers and consumers: without and with a monitor.
// EXPECT: data-race PUT PUT
// ALLOW: data-race PUT GET
// ALLOW: data-race GET GET
// ALLOW: misuse PUT
// ALLOW: misuse GET
#include <pthread.h>

#define CAPACITY 4
#define ITEMS 6

static int buffer[CAPACITY], count, in, out;
#ifdef FIXED
static pthread_mutex_t monitor = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;

static void put(int item)
{
    pthread_mutex_lock(&monitor);
    while (count == CAPACITY)
        pthread_cond_wait(&not_full, &monitor);
    buffer[in] = item;
    in = (in + 1) % CAPACITY;
    count++;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&monitor);
}

static int get(void)
{
    pthread_mutex_lock(&monitor);
    while (count == 0)
        pthread_cond_wait(&not_empty, &monitor);
    int item = buffer[out];
    out = (out + 1) % CAPACITY;
    count--;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&monitor);
    return item;
}
#else
static void put(int item)
{
    for (int tries = 0; tries < 100 && count == CAPACITY; tries++) // PUT
        ;
    buffer[in] = item; // PUT
    in = (in + 1) % CAPACITY; // PUT
    count++; // PUT
}

static int get(void)
{
    for (int tries = 0; tries < 100 && count == 0; tries++) // GET
        ;
    int item = buffer[out]; // GET
    out = (out + 1) % CAPACITY; // GET
    count--; // GET
    return item;
}
#endif

static void *producer(void *arg)
{
    for (int i = 0; i < ITEMS; i++)
        put(i);
    return arg;
}

static void *consumer(void *arg)
{
    int sum = 0;
    for (int i = 0; i < ITEMS; i++)
        sum += get();
    return sum >= 0 ? arg : NULL;
}

int main(void)
{
    pthread_t t[4];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, producer, NULL);
    for (int i = 2; i < 4; i++)
        pthread_create(&t[i], NULL, consumer, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    return 0;
}
