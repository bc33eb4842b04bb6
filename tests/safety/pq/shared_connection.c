// EXPECT: PQexec PQexec
// LIB: libpq.so.5
// A connection that has failed is an object all the same; no server is needed.
#include <stdio.h>

#include "together.h"

void *PQconnectStart(const char *text);
void *PQexec(void *c, const char *query);
void PQclear(void *r);
void PQfinish(void *c);

static void *ask(void *c)
{
    arrive();
    for (int i = 0; i < ROUNDS / 4; i++) {
        LOCK;
        PQclear(PQexec(c, "select 1"));
        UNLOCK;
    }
    return 0;
}

int main(void)
{
    void *c = PQconnectStart("host=/nonexistent user=u dbname=d connect_timeout=1");
    together(ask, ask, c);
    PQfinish(c);
    puts("done");
    return 0;
}
