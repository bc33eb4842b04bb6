// Two locks in two orders.
// EXPECT: deadlock INNER_A INNER_B
#include "../twin.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *arg)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b); // INNER_A
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return arg;
}

static void *second(void *arg)
{
    pthread_mutex_lock(PICK(&b, &a));
    pthread_mutex_lock(PICK(&a, &b)); // INNER_B
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return arg;
}

int main(void)
{
    run_two(first, second);
    return 0;
}
