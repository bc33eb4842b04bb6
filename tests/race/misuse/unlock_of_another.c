// A mutex is unlocked by a thread that does not hold it, while another one does.
// EXPECT: misuse HERE
// EXPECT-OBJECT: global mutex
// EXPECT-TEXT: another thread holds
#include "invisible.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *holder(void *arg)
{
    pthread_mutex_lock(&mutex);
    FIX(pthread_mutex_unlock(&mutex));
    hidden_post(0);
    hidden_wait(1);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, holder, NULL);
    hidden_wait(0);
    FIX(pthread_mutex_lock(&mutex));
    pthread_mutex_unlock(&mutex); // HERE
    hidden_post(1);
    pthread_join(t, NULL);
    return 0;
}
