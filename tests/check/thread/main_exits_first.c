// main ends by pthread_exit; the other threads go on.
// EXPECT: data-race WORK/write WORK
#include "../twin.h"

static int n;

static void *work(void *arg)
{
    FIX(LOCK());
    n++; // WORK
    FIX(UNLOCK());
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++) {
        pthread_create(&t[i], NULL, work, NULL);
        pthread_detach(t[i]);
    }
    pthread_exit(NULL);
}
