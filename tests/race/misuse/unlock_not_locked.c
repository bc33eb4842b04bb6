// A mutex is unlocked that nobody holds.
// EXPECT: misuse HERE
// EXPECT-OBJECT: global mutex
// EXPECT-TEXT: unlock of a mutex that is not locked
// PEER: clang-19-tsan may-miss: reports it under another name
#include "invisible.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
    FIX(pthread_mutex_lock(&mutex));
    pthread_mutex_unlock(&mutex); // HERE
    return 0;
}
