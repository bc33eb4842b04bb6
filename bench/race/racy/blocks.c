/*
 * The memory functions as one side of the race: memcpy, memset and strlen against single accesses
 * somewhere in the middle.
 *
 * pairs: copy-poke clear-peek change-length
 */
#include "hidden.h"

char to[100], cleared[5000], text[40] = "some text that is long enough";
char from[100] = "abc";
size_t seen;

static void blocks(void)
{
    memcpy(to, from, sizeof to);        /* [copy] */
    memset(cleared, 1, sizeof cleared); /* [clear] */
    text[10] = 'x';                     /* [change] */
}

static void singles(void)
{
    to[57] = 1;           /* [poke] */
    seen = cleared[4321]; /* [peek] */
    seen += strlen(text); /* [length] */
}

int main(void)
{
    static const struct hidden_step steps[] = {{0, blocks}, {1, singles}};

    HIDDEN_RUN(steps, 2);
    return seen != 30;
}
