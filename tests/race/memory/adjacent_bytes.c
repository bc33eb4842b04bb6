// Four threads write neighbouring bytes of one word: no race. With the bug, two share a byte.
// EXPECT: data-race RACE1/write/1 RACE1/write/1
// EXPECT-OBJECT: global bytes
#include "invisible.h"

_Alignas(8) char bytes[8];

static void *writer(void *arg)
{
    long n = (long)arg;
    hidden_wait_times(0, (int)n);
    bytes[PICK(n / 2 * 2 == n && n ? n - 2 : n, n)] = 1; // RACE1
    hidden_post(0);
    return NULL;
}

int main(void)
{
    pthread_t t[4];
    for (long i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, writer, (void *)i);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    return 0;
}
