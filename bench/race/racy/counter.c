/*
 * A counter that nobody guards: two threads add, a third one reads.
 *
 * pairs: add-more add-read more-read
 */
#include "hidden.h"

long hits;
long seen;

static void add(void)
{
    hits++; /* [add] */
}

static void add_more(void)
{
    hits += 2; /* [more] */
}

static void read_hits(void)
{
    seen = hits; /* [read] */
}

int main(void)
{
    static const struct hidden_step steps[] = {{0, add}, {1, add_more}, {2, read_hits}};

    HIDDEN_RUN(steps, 3);
    return seen != 3;
}
