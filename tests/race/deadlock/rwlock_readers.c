// Two threads hold an rwlock for reading and both want it for writing.
// EXPECT: deadlock UPGRADE/lock UPGRADE/lock
// PEER: tsan cannot: hangs
#include "invisible.h"

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER, other = PTHREAD_RWLOCK_INITIALIZER;

static void *upgrade(void *arg)
{
    int turn = *(int *)arg;
    pthread_rwlock_t *mine = turn ? &lock : &other, *wanted = turn ? &other : &lock;
    pthread_rwlock_rdlock(mine);
    hidden_post(turn);
    hidden_wait(1 - turn);
    FIX(pthread_rwlock_unlock(mine));
    pthread_rwlock_wrlock(wanted); // UPGRADE
    pthread_rwlock_unlock(wanted);
    BUG(pthread_rwlock_unlock(mine);)
    return arg;
}

int main(void)
{
    pthread_t t[2];
    int turns[2] = {0, 1};
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, upgrade, &turns[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
