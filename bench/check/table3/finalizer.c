// The finalizer of C: a thread-specific destructor runs at the end of a thread, while main goes on.
// EXPECT: data-race DESTROY/write MAIN
#include <pthread.h>
#include <stdlib.h>

struct resource {
    int number;
};

static pthread_key_t key;
static int last_released;
#ifdef FIXED
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
#define ENTER() pthread_mutex_lock(&mutex)
#define LEAVE() pthread_mutex_unlock(&mutex)
#else
#define ENTER() ((void)0)
#define LEAVE() ((void)0)
#endif

static void release(void *p)
{
    struct resource *r = p;
    ENTER();
    last_released = r->number; // DESTROY
    LEAVE();
    free(r);
}

static void *worker(void *arg)
{
    struct resource *r = malloc(sizeof *r);
    r->number = 1;
    pthread_setspecific(key, r);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_key_create(&key, release);
    pthread_create(&t, NULL, worker, NULL);
    ENTER();
    int seen = last_released; // MAIN
    LEAVE();
    pthread_join(t, NULL);
    return seen > 1;
}
