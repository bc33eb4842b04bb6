// A mutex is destroyed while it is locked.
// EXPECT: misuse HERE
// EXPECT-OBJECT: heap
// EXPECT-TEXT: destruction of a mutex that is locked
#include <stdlib.h>
#include "invisible.h"

int main(void)
{
    pthread_mutex_t *mutex = malloc(sizeof *mutex);
    pthread_mutex_init(mutex, NULL);
    pthread_mutex_lock(mutex);
    FIX(pthread_mutex_unlock(mutex));
    pthread_mutex_destroy(mutex); // HERE
    BUG(pthread_mutex_unlock(mutex);)
    free(mutex);
    return 0;
}
