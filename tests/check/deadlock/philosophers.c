// Four philosophers, each with the left fork first.
// EXPECT: deadlock RIGHT RIGHT RIGHT RIGHT
#include "../twin.h"

#define N 4
static pthread_mutex_t fork_of[N];

static void *dine(void *arg)
{
    long me = (long)arg, left = me, right = (me + 1) % N;
    FIX(if (left > right) { left = right; right = me; })
    pthread_mutex_lock(&fork_of[left]);
    pthread_mutex_lock(&fork_of[right]); // RIGHT
    pthread_mutex_unlock(&fork_of[right]);
    pthread_mutex_unlock(&fork_of[left]);
    return NULL;
}

int main(void)
{
    pthread_t t[N];
    for (long i = 0; i < N; i++)
        pthread_mutex_init(&fork_of[i], NULL);
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], NULL, dine, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return 0;
}
