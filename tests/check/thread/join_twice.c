// A thread can be joined once.
// EXPECT: misuse AGAIN
// EXPECT-TEXT: joined twice
#include "../twin.h"

static void *work(void *arg)
{
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    BUG(pthread_join(t, NULL)); // AGAIN
    return 0;
}
