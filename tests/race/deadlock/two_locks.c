// Two threads take two locks in opposite order, and both have taken their first.
// EXPECT: deadlock WAIT1 WAIT2
// EXPECT-LOCKS: WAIT1 a
// EXPECT-LOCKS: WAIT2 b
// PEER: tsan cannot: it hangs with the program
#include "invisible.h"

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *arg)
{
    pthread_mutex_lock(&a);
    BUG(hidden_meet(0, 2));
    pthread_mutex_lock(&b); // WAIT1
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return arg;
}

static void *second(void *arg)
{
    pthread_mutex_lock(PICK(&b, &a));
    BUG(hidden_meet(0, 2));
    pthread_mutex_lock(PICK(&a, &b)); // WAIT2
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return arg;
}

int main(void)
{
    pthread_t s, t;
    pthread_create(&s, NULL, first, NULL);
    pthread_create(&t, NULL, second, NULL);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    return 0;
}
