// A lock is destroyed while it is held.
// EXPECT: misuse DESTROY
// EXPECT-TEXT: destroyed while it is held
#include "../twin.h"

static pthread_mutex_t mutex;

int main(void)
{
    pthread_mutex_init(&mutex, NULL);
    pthread_mutex_lock(&mutex);
    FIX(pthread_mutex_unlock(&mutex));
    pthread_mutex_destroy(&mutex); // DESTROY
    return 0;
}
