// A statically initialised recursive mutex; a normal one blocks its own thread.
// EXPECT: deadlock AGAIN
#include "../twin.h"

static pthread_mutex_t mutex = PICK(PTHREAD_MUTEX_INITIALIZER, PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP);
static int n;

static void *work(void *arg)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&mutex); // AGAIN
    n++;
    pthread_mutex_unlock(&mutex);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void)
{
    run_two(work, work);
    return n;
}
