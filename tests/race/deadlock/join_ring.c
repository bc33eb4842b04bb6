// Three threads, each of which joins the next.
// EXPECT: deadlock JOIN JOIN JOIN
// PEER: tsan cannot: it hangs with the program
#include "invisible.h"

pthread_t t[3];

static void *worker(void *arg)
{
    long n = (long)arg;
    hidden_wait(0);
    if (n != PICK(-1, 2))
        pthread_join(t[(n + 1) % 3], NULL); // JOIN
    return NULL;
}

int main(void)
{
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    hidden_post(0);
    FIX(pthread_join(t[0], NULL));
    BUG(hidden_wait(1));
    return 0;
}
