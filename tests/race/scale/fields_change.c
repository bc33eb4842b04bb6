// Threads use the members of small structs under a lock, as fields, as a whole and atomically, and
// replace them: what is known of eight bytes changes its form all the time. With the bug, one
// write at the end is without the lock.
// EXPECT: data-race RACE1/write/1 RACE2/write/1
#include "invisible.h"

#include <stdlib.h>

enum { THREADS = 4, ITEMS = 16, STEPS = 6000 };

struct item {
    int count;
    short kind;
    char flag, mark;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct item *items[ITEMS], copies[ITEMS];

static void use(unsigned step)
{
    unsigned at = step * 7 % ITEMS;
    struct item *item = items[at];
    switch (step % 6) {
    case 0:
        item->count++;
        item->flag ^= 1;
        break;
    case 1:
        item->kind = (short)(item->kind + item->mark);
        break;
    case 2:
        item->mark++;
        break;
    case 3:
        copies[at] = *item;
        break;
    case 4:
        __atomic_fetch_add(&item->count, 1, __ATOMIC_RELAXED);
        break;
    default:
        *item = copies[at];
    }
}

static void replace(unsigned at)
{
    free(items[at]);
    items[at] = calloc(1, sizeof *items[at]);
}

static void *worker(void *arg)
{
    unsigned self = (unsigned)(unsigned long)arg;
    for (unsigned step = self; step < STEPS; step++) {
        pthread_mutex_lock(&lock);
        use(step);
        if (step % 64 == 0)
            replace(step / 64 % ITEMS);
        pthread_mutex_unlock(&lock);
    }
    hidden_meet(0, THREADS);
    pthread_mutex_lock(&lock); /* what the others have done is known now */
    struct item *item = items[0];
    pthread_mutex_unlock(&lock);
    if (self == 0) {
        FIX(pthread_mutex_lock(&lock);)
        item->mark = 1; // RACE1
        FIX(pthread_mutex_unlock(&lock);)
        hidden_post(1);
    } else if (self == 1) {
        hidden_wait(1);
        pthread_mutex_lock(&lock);
        item->mark = 2; // RACE2
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    for (unsigned i = 0; i < ITEMS; i++)
        replace(i);
    for (unsigned long i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    return 0;
}
