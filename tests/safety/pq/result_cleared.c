// EXPECT: PQclear PQresultStatus
// LIB: libpq.so.5
#include <stdio.h>

#include "together.h"

void *PQmakeEmptyPGresult(void *c, int status);
int PQresultStatus(const void *r);
void PQclear(void *r);

static void *shared;
static atomic_int rounds[2];

/* Each object lives for one round: nobody ends before the other has had its rounds, too. */
static int goes_on(int me)
{
    return atomic_fetch_add(&rounds[me], 1) < ROUNDS || atomic_load(&rounds[1 - me]) < ROUNDS;
}

static void *look(void *unused)
{
    arrive();
    while (goes_on(0)) {
        LOCK;
        PQresultStatus(shared);
        UNLOCK;
    }
    return unused;
}

static void *renew(void *unused)
{
    arrive();
    while (goes_on(1)) {
        LOCK;
        void *old = shared;
        shared = PQmakeEmptyPGresult(0, 2);
        PQclear(old);
        UNLOCK;
    }
    return unused;
}

int main(void)
{
    shared = PQmakeEmptyPGresult(0, 2);
    together(look, renew, 0);
    puts("done");
    return 0;
}
