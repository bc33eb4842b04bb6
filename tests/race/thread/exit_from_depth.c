// A thread ends by pthread_exit deep inside its calls; joining it covers everything.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global data
// EXPECT-STACK: RACE1 leave third second first
#include "invisible.h"

int data, seen;

__attribute__((noinline)) static void leave(void)
{
    data = 1; // RACE1
    hidden_post(0);
    pthread_exit((void *)7);
}

#define LEVEL(name, below)                                                                         \
    __attribute__((noinline)) static void name(void)                                               \
    {                                                                                              \
        below();                                                                                   \
        hidden_count(0);                                                                           \
    }
LEVEL(third, leave)
LEVEL(second, third)

static void *first(void *arg)
{
    second();
    return arg;
}

int main(void)
{
    pthread_t t;
    void *result;
    pthread_create(&t, NULL, first, NULL);
    hidden_wait(0);
    FIX(pthread_join(t, &result));
    seen = data; // RACE2
    BUG(pthread_join(t, &result));
    return (long)result != 7;
}
