// A spin lock is unlocked that nobody holds.
// EXPECT: misuse BAD
// EXPECT-OBJECT: global lock
// PEER: tsan may-miss: an unlocked spin lock is not told there
#include "invisible.h"

pthread_spinlock_t lock;

int main(void)
{
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_lock(&lock);
    pthread_spin_unlock(&lock);
    BUG(pthread_spin_unlock(&lock);) // BAD
    return 0;
}
