// One thread that takes both orders, one after the other, cannot deadlock with itself.
// EXPECT: lock-order TAKE1 TAKE2
// PEER: tsan false-alarm: threads are not told apart there
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
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a); // TAKE2
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
}

__attribute__((unused)) static void both(void)
{
    first();
    second();
}

__attribute__((unused)) static void nothing(void)
{
}

int main(void)
{
    run_in_order(PICK(first, both), PICK(second, nothing));
    return 0;
}
