// A destructor of thread-specific data runs at the thread's end: the finalizer of C.
// EXPECT: data-race DESTROY/write MAIN
#include "../twin.h"

static pthread_key_t key;
static int destroyed;

static void destroy(void *p)
{
    free(p);
    FIX(LOCK());
    destroyed++; // DESTROY
    FIX(UNLOCK());
}

static void *work(void *arg)
{
    pthread_setspecific(key, malloc(4));
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_key_create(&key, destroy);
    pthread_create(&t, NULL, work, NULL);
    FIX(LOCK());
    int seen = destroyed; // MAIN
    FIX(UNLOCK());
    pthread_join(t, NULL);
    return seen;
}
