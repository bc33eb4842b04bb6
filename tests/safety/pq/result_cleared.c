// EXPECT: PQclear PQresultStatus
// LIB: libpq.so.5
#include <stdio.h>

#include "together.h"

void *PQmakeEmptyPGresult(void *c, int status);
int PQresultStatus(const void *r);
void PQclear(void *r);

static void *shared;

static void *look(void *unused)
{
    arrive();
    for (int i = 0; i < ROUNDS / 4; i++) {
        LOCK;
        PQresultStatus(shared);
        UNLOCK;
    }
    return unused;
}

static void *renew(void *unused)
{
    arrive();
    for (int i = 0; i < ROUNDS / 4; i++) {
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
