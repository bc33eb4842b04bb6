// Opposite orders that did not meet this time: a candidate, and the program's own exit status.
// EXPECT: lock-order TAKE1 TAKE2
#include "invisible.h"

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void first(void)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b); // TAKE1
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
}

static void second(void)
{
    pthread_mutex_lock(PICK(&b, &a));
    pthread_mutex_lock(PICK(&a, &b)); // TAKE2
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
