// pthread_exit ends the thread wherever it is.
// EXPECT: data-race DEEP/write MAIN/write
#include "../twin.h"

static int n;

static void deep(int k)
{
    if (k > 0) {
        deep(k - 1);
    } else {
        n = 1; // DEEP
        pthread_exit(NULL);
    }
    abort();
}

static void *work(void *arg)
{
    deep(3);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    BUG(n = 2); // MAIN
    pthread_join(t, NULL);
    return n;
}
