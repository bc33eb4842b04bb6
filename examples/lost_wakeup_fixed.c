/* lost_wakeup_fixed.c: lost_wakeup.c without its bug: the signal leaves a mark, and the wait looks
 * for it. */
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_finished; /* under lock */
static pthread_cond_t finished = PTHREAD_COND_INITIALIZER;

static void *work(void *arg)
{
    pthread_mutex_lock(&lock);
    is_finished = true;
    pthread_cond_signal(&finished);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_mutex_lock(&lock);
    while (!is_finished)
        pthread_cond_wait(&finished, &lock);
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    return 0;
}
