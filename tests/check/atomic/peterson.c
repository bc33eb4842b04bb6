// Peterson's lock needs sequential consistency and atomics.
// EXPECT: data-race FLAG FLAG
// ALLOW: data-race TURN TURN
// ALLOW: data-race WORK WORK
// ALLOW: data-race TURN FLAG
#include "../twin.h"

static PICK(int, _Atomic int) wants[2], turn;
static int n;

static void *work(void *arg)
{
    long me = (long)arg, other = 1 - me;
    wants[me] = 1; // FLAG
    turn = (int)other; // TURN
    while (wants[other] && turn == other) // FLAG
        ;
    n++; // WORK
    wants[me] = 0; // FLAG
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return n;
}
