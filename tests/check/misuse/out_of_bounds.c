// One element too far.
// EXPECT: misuse END
// EXPECT-TEXT: out of bounds
#include "../twin.h"

static int n[4];

static void *work(void *arg)
{
    for (int i = 0; i < PICK(5, 4); i++)
        n[i] = i; // END
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return n[0];
}
