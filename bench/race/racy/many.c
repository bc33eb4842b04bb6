/*
 * Twelve variables of several sizes, each raced on by its own pair of lines: a tool that stops
 * after the first reports, or that merges what looks alike, shows fewer.
 *
 * pairs: a1-b1 a2-b2 a3-b3 a4-b4 a5-b5 a6-b6 a7-b7 a8-b8 a9-b9 a10-b10 a11-b11 a12-b12
 */
#include "hidden.h"

char v1, v2;
short v3, v4;
int v5, v6;
long v7, v8;
float v9;
double v10;
void *v11;
struct {
    unsigned one : 3, two : 5;
} v12;

static void first(void)
{
    v1 = 1;      /* [a1] */
    v2++;        /* [a2] */
    v3 = 1;      /* [a3] */
    v4++;        /* [a4] */
    v5 = 1;      /* [a5] */
    v6++;        /* [a6] */
    v7 = 1;      /* [a7] */
    v8++;        /* [a8] */
    v9 = 1;      /* [a9] */
    v10 += 1;    /* [a10] */
    v11 = &v1;   /* [a11] */
    v12.one = 1; /* [a12] */
}

static void second(void)
{
    v1 = 2;      /* [b1] */
    v2++;        /* [b2] */
    v3 = 2;      /* [b3] */
    v4++;        /* [b4] */
    v5 = 2;      /* [b5] */
    v6++;        /* [b6] */
    v7 = 2;      /* [b7] */
    v8++;        /* [b8] */
    v9 = 2;      /* [b9] */
    v10 += 2;    /* [b10] */
    v11 = &v2;   /* [b11] */
    v12.two = 1; /* [b12] */
}

int main(void)
{
    static const struct hidden_step steps[] = {{0, first}, {1, second}};

    HIDDEN_RUN(steps, 2);
    return v2 + v4 != 4;
}
