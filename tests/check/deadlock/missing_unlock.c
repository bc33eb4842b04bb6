// One path returns with the lock.
// EXPECT: deadlock SECOND JOIN
// EXPECT: misuse SECOND
// EXPECT-TEXT: ends while it holds a lock
#include "../twin.h"

static int n;

static int add(int k)
{
    LOCK(); // SECOND
    if (k == 1) {
        FIX(UNLOCK());
        return -1;
    }
    n += k;
    UNLOCK();
    return 0;
}

static void *first(void *arg)
{
    add(1);
    return arg;
}

static void *second(void *arg)
{
    add(2);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, first, NULL);
    pthread_create(&t[1], NULL, second, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL); // JOIN
    return n;
}
