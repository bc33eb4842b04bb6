// EXPECT: random_r random_r
// The state is an object of the caller's; with FIXED each thread has its own.
#include <stdio.h>
#include <stdlib.h>

#include "together.h"

static struct random_data shared;
static char shared_state[64];

static void *draw(void *unused)
{
    struct random_data *data = &shared;
    int32_t number;
#ifdef FIXED
    struct random_data own = {0};
    char own_state[64];
    initstate_r(1, own_state, sizeof own_state, &own);
    data = &own;
#endif
    arrive();
    for (int i = 0; i < ROUNDS; i++)
        random_r(data, &number);
    return unused;
}

int main(void)
{
    initstate_r(1, shared_state, sizeof shared_state, &shared);
    together(draw, draw, 0);
    puts("done");
    return 0;
}
