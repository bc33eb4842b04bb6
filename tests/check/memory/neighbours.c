// Neighbouring bytes are no race; the same byte is.
// EXPECT: data-race A/write B/write
#include "../twin.h"

char text[8];

static void *left(void *arg)
{
    text[PICK(4, 3)] = 'a'; // A
    return arg;
}

static void *right(void *arg)
{
    text[4] = 'b'; // B
    return arg;
}

int main(void)
{
    run_two(left, right);
    return text[4];
}
