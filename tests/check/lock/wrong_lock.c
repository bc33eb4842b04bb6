// Each thread locks, but not the same mutex.
// EXPECT: data-race A/write B/write
// EXPECT-LOCKS: A a
// EXPECT-LOCKS: B b
#include "../twin.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int n;

static void *first(void *arg)
{
    pthread_mutex_lock(&a);
    n = 1; // A
    pthread_mutex_unlock(&a);
    return arg;
}

static void *second(void *arg)
{
    pthread_mutex_lock(PICK(&b, &a));
    n = 2; // B
    pthread_mutex_unlock(PICK(&b, &a));
    return arg;
}

int main(void)
{
    run_two(first, second);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    return n;
}
