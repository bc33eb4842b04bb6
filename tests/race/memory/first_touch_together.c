// Two threads leave a meeting at the same moment and both make the first access to a counter: its shadow
// is not there yet, so both fault on it and go on in lockstep. Every such counter must be told.
// EXPECT: data-race ROOM0 ROOM0
// EXPECT: data-race ROOM1 ROOM1
// EXPECT: data-race ROOM2 ROOM2
// EXPECT: data-race ROOM3 ROOM3
// EXPECT: data-race ROOM4 ROOM4
// EXPECT: data-race ROOM5 ROOM5
// EXPECT: data-race ROOM6 ROOM6
// EXPECT: data-race ROOM7 ROOM7
// EXPECT: data-race ROOM8 ROOM8
// EXPECT: data-race ROOM9 ROOM9
// EXPECT: data-race ROOM10 ROOM10
// EXPECT: data-race ROOM11 ROOM11
// EXPECT: data-race ROOM12 ROOM12
// EXPECT: data-race ROOM13 ROOM13
// EXPECT: data-race ROOM14 ROOM14
// EXPECT: data-race ROOM15 ROOM15
// PEER: tsan may-miss: the two accesses may not see each other
#include "invisible.h"

enum { ROOMS = 16, THREADS = 2 };

/* Pages apart from each other, also in the shadow. */
struct room {
    long visitors;
    char pad[(1 << 16) - sizeof(long)];
};

struct room rooms[ROOMS]; /* static, clang would make it sixteen variables side by side */
static pthread_mutex_t own[THREADS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
FIX(static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;)

/* As hidden_meet(), but without sleeping, so that both go on at once; n counts the meetings. */
HIDDEN void meet(int n)
{
    int *arrived = &hidden_events[0];
    __asm__ volatile("lock incl %0" : "+m"(*arrived) : : "memory", "cc");
    for (unsigned spins = 1; hidden_count(0) < THREADS * n; spins++) {
        long yielded = 24; /* sched_yield: the other may not have a processor */
        __asm__ volatile("pause");
        if (spins % 4096 == 0)
            __asm__ volatile("syscall" : "+a"(yielded) : : "rcx", "r11", "memory");
    }
}

#define ROOM(n)                                                                                    \
    static void visit##n(void)                                                                     \
    {                                                                                              \
        rooms[n].visitors++;                                                                       \
    }
ROOM(0)  // ROOM0
ROOM(1)  // ROOM1
ROOM(2)  // ROOM2
ROOM(3)  // ROOM3
ROOM(4)  // ROOM4
ROOM(5)  // ROOM5
ROOM(6)  // ROOM6
ROOM(7)  // ROOM7
ROOM(8)  // ROOM8
ROOM(9)  // ROOM9
ROOM(10) // ROOM10
ROOM(11) // ROOM11
ROOM(12) // ROOM12
ROOM(13) // ROOM13
ROOM(14) // ROOM14
ROOM(15) // ROOM15

static hidden_body *const visit[ROOMS] = {visit0,  visit1,  visit2,  visit3, visit4,  visit5,
                                          visit6,  visit7,  visit8,  visit9, visit10, visit11,
                                          visit12, visit13, visit14, visit15};

static void *visitor(void *arg)
{
    for (int n = 0; n < ROOMS; n++) {
        pthread_mutex_lock(arg); /* its own: it orders nothing, and a new stretch begins */
        pthread_mutex_unlock(arg);
        meet(n + 1);
        FIX(pthread_mutex_lock(&door));
        visit[n]();
        FIX(pthread_mutex_unlock(&door));
    }
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, visitor, &own[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    return 0;
}
