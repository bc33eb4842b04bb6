/*
 * Eight flags in one 8-byte word, each with its own thread: no race among neighbours. The first and
 * the second flag are written once more, by a thread that did not wait for their owners, when all
 * the others have been at their own many times. A detector that keeps four accesses per word has
 * forgotten the two by then.
 *
 * pairs: first-first_again second-second_again
 */
#include "hidden.h"

_Alignas(8) unsigned char flags[8];

static void write_first(void)
{
    flags[0] = 1; /* [first] */
}

static void write_second(void)
{
    flags[1] = 1; /* [second] */
}

#define NEIGHBOUR(n)                                                                               \
    static void write_##n(void)                                                                    \
    {                                                                                              \
        flags[n]++;                                                                                \
    }
NEIGHBOUR(2)
NEIGHBOUR(3)
NEIGHBOUR(4)
NEIGHBOUR(5)
NEIGHBOUR(6)
NEIGHBOUR(7)

static void write_again(void)
{
    flags[0] = 2; /* [first_again] */
    flags[1] = 2; /* [second_again] */
}

int main(void)
{
    static const struct hidden_step steps[] = {
        {0, write_first}, {1, write_second}, {2, write_2}, {3, write_3}, {4, write_4},
        {5, write_5},     {6, write_6},      {7, write_7}, {2, write_2}, {3, write_3},
        {4, write_4},     {5, write_5},      {6, write_6}, {7, write_7}, {8, write_again}};

    HIDDEN_RUN(steps, 9);
    return flags[0] + flags[1] + flags[7] != 6;
}
