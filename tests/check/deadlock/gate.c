// The order does not matter while a third lock guards both.
// EXPECT: deadlock INNER_A INNER_B
#include "../twin.h"

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER, a = PTHREAD_MUTEX_INITIALIZER,
                       b = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *arg)
{
    FIX(pthread_mutex_lock(&gate));
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b); // INNER_A
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    FIX(pthread_mutex_unlock(&gate));
    return arg;
}

static void *second(void *arg)
{
    pthread_mutex_lock(&gate);
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a); // INNER_B
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&gate);
    return arg;
}

int main(void)
{
    run_two(first, second);
    return 0;
}
