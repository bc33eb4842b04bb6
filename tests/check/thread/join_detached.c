// A detached thread cannot be joined.
// EXPECT: misuse JOIN
#include "../twin.h"

static void *work(void *arg)
{
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    BUG(pthread_detach(t));
    pthread_join(t, NULL); // JOIN
    return 0;
}
