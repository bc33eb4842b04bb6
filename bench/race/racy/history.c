/*
 * An old access: the first thread writes two variables and then does a million other things in
 * small functions, which pushes the place of the writes out of any bounded history; only then the
 * second thread comes.
 *
 * pairs: state-read_state limit-write_limit
 */
#include "hidden.h"

int state, limit;
int seen;
uint64_t scratch[256];

static __attribute__((noinline)) void work(unsigned i)
{
    scratch[i % 256] += i;
}

static void write_both(void)
{
    state = 1; /* [state] */
    limit = 5; /* [limit] */
}

static void work_long(void)
{
    for (unsigned i = 0; i < 1000000; i++)
        work(i);
}

static void use_both(void)
{
    seen = state; /* [read_state] */
    limit = 6;    /* [write_limit] */
}

int main(void)
{
    static const struct hidden_step steps[] = {{0, write_both}, {0, work_long}, {1, use_both}};

    HIDDEN_RUN(steps, 2);
    return seen != 1;
}
