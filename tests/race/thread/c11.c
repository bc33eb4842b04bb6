// thrd_create, thrd_join and thrd_detach of <threads.h>.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global data
// PEER: tsan cannot: it does not know <threads.h>
#include <threads.h>
#include "invisible.h"

int data, seen;

static int child(void *arg)
{
    data = 1; // RACE1
    hidden_post(0);
    return arg == NULL ? 3 : 4;
}

static int other(void *arg)
{
    hidden_post(1);
    return arg != NULL;
}

int main(void)
{
    thrd_t t, d;
    int result;
    thrd_create(&d, other, NULL);
    thrd_detach(d);
    thrd_create(&t, child, NULL);
    hidden_wait(0);
    hidden_wait(1);
    FIX(thrd_join(t, &result));
    seen = data; // RACE2
    BUG(thrd_join(t, &result));
    return result - 3;
}
