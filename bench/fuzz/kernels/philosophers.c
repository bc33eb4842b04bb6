/* philosophers.c: five threads, each takes its left lock first. */
#include <pthread.h>

enum { N = 5 };
static pthread_mutex_t fork_[N];

static void *eat(void *arg)
{
    long i = (long)arg;
    pthread_mutex_lock(&fork_[i]);
    pthread_mutex_lock(&fork_[(i + 1) % N]);
    pthread_mutex_unlock(&fork_[(i + 1) % N]);
    pthread_mutex_unlock(&fork_[i]);
    return NULL;
}

int main(void)
{
    pthread_t t[N];
    for (long i = 0; i < N; i++)
        pthread_mutex_init(&fork_[i], NULL);
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], NULL, eat, (void *)i);
    for (long i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return 0;
}
