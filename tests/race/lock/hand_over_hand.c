// A list with one lock per node: the next is taken before the last is given back.
// EXPECT: data-race RACE1 RACE1
// EXPECT-OBJECT: global list
#include "invisible.h"

enum { NODES = 5 };
struct {
    pthread_mutex_t lock;
    int value;
} list[NODES];

static void walk(void)
{
    pthread_mutex_lock(&list[0].lock);
    for (int i = 0; i < NODES; i++) {
        if (i + 1 < NODES)
            pthread_mutex_lock(&list[i + 1].lock);
        BUG(pthread_mutex_unlock(&list[i].lock)); /* before the last use */
        list[i].value++;                          // RACE1
        FIX(pthread_mutex_unlock(&list[i].lock));
    }
}

int main(void)
{
    for (int i = 0; i < NODES; i++)
        pthread_mutex_init(&list[i].lock, NULL);
    run_in_order(walk, walk);
    return list[4].value - 2;
}
