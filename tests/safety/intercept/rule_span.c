// EXPECT: query_send query_send
// OPTIONS: --contracts {dir}/rules.contract
// LIBRARY:
// LINK-LIBRARY:
// A second query before the first one's result was fetched; with FIXED the result is fetched by the
// other thread, which is allowed.
#include <stdio.h>

void query_send(int *q);
void query_result(int *q);

#ifdef LIBRARY
void query_send(int *q)
{
    (void)q;
}
void query_result(int *q)
{
    (void)q;
}
#else
#include "together.h"

static void *use(void *q)
{
#ifdef FIXED
    query_result(q);
#endif
    query_send(q);
    query_result(q);
    return 0;
}

int main(void)
{
    int q = 0;
    pthread_t t;
    query_send(&q);
    pthread_create(&t, 0, use, &q);
    pthread_join(t, 0);
    puts("done");
    return 0;
}
#endif
