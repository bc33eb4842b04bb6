// Eight threads read, then one writes: it is ordered after all reads but one.
// EXPECT: data-race RACE1/read RACE2/write
// EXPECT-OBJECT: global shared
#include "invisible.h"

enum { READERS = 8 };
int shared = 7, seen[READERS];

static void *reader(void *arg)
{
    long n = (long)arg;
    hidden_wait_times(0, (int)n);
    seen[n] = shared; // RACE1
    hidden_post(0);
    return NULL;
}

int main(void)
{
    pthread_t t[READERS];
    for (long i = 0; i < READERS; i++)
        pthread_create(&t[i], NULL, reader, (void *)i);
    hidden_wait_times(0, READERS);
    for (int i = 0; i < READERS; i++) /* with the bug, one in the middle is not joined yet */
        if (i != PICK(3, -1))
            pthread_join(t[i], NULL);
    shared = 8; // RACE2
    BUG(pthread_join(t[3], NULL));
    return 0;
}
