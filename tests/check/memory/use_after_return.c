// A thread uses a variable of a function that has returned.
// EXPECT: misuse USE
#include "../twin.h"

static int seen;

static void *work(void *arg)
{
    seen = *(int *)arg; // USE
    return NULL;
}

static pthread_t start(void)
{
    PICK(int, static int) n = 5;
    pthread_t t;
    pthread_create(&t, NULL, work, &n);
    return t;
}

int main(void)
{
    pthread_t t = start();
    pthread_join(t, NULL);
    return seen;
}
