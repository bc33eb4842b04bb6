// A block is used after it was freed, in one thread.
// EXPECT: misuse USE
// EXPECT-TEXT: use after free
#include "../twin.h"

static void *work(void *arg)
{
    return arg;
}

int main(void)
{
    pthread_t t;
    int *p = malloc(sizeof *p);
    *p = 1;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    BUG(free(p));
    int n = *p; // USE
    FIX(free(p));
    return n;
}
