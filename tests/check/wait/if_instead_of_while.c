// A woken consumer does not look again: another one has taken the item.
// EXPECT: misuse TAKE
// EXPECT-TEXT: out of bounds
// ALLOW: misuse PUT
#include "../twin.h"

static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int items[2], count;

static void *consumer(void *arg)
{
    LOCK();
    PICK(if, while) (count == 0)
        pthread_cond_wait(&cond, &lock);
    items[--count]--; // TAKE
    UNLOCK();
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, consumer, NULL);
    for (int i = 0; i < 2; i++) {
        LOCK();
        items[count++] = i + 1; // PUT
        pthread_cond_broadcast(&cond);
        UNLOCK();
    }
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
