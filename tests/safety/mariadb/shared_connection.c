// EXPECT: mysql_query mysql_query
// ALLOW: mysql_error mysql_query
// ALLOW: mysql_errno mysql_query
// LIB: libmariadb.so.3
// Without a server a query fails at once; the connection is one object all the same.
#include <stdio.h>

#include "together.h"

void *mysql_init(void *m);
int mysql_query(void *m, const char *query);
unsigned mysql_errno(void *m);
void mysql_close(void *m);

static void *ask(void *m)
{
    arrive();
    for (int i = 0; i < ROUNDS / 4; i++) {
        LOCK;
        if (mysql_query(m, "select 1"))
            mysql_errno(m);
        UNLOCK;
    }
    return 0;
}

int main(void)
{
    void *m = mysql_init(0);
    together(ask, ask, m);
    mysql_close(m);
    puts("done");
    return 0;
}
