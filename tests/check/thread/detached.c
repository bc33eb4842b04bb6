// A detached thread is never joined.
// EXPECT: data-race WRITE/write READ/read
#include "../twin.h"

static PICK(int, _Atomic int) state;

static void *work(void *arg)
{
    state = 1; // WRITE
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_create(&t, &attr, work, NULL);
    pthread_attr_destroy(&attr);
    return state; // READ
}
