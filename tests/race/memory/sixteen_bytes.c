// A 16-byte access (a vector) against a byte in its upper half; the twin leaves the vector alone.
// FLAGS: -O2
// EXPECT: data-race RACE1 RACE2/write/1
// EXPECT-OBJECT: global block
// PEER: clang-tsan may-miss: the upper half of a 16-byte access
#include "invisible.h"

typedef int vector __attribute__((vector_size(16)));

union {
    vector all;
    char byte[32];
} block;

static void first(void)
{
    block.all = (vector){1, 2, 3, 4}; // RACE1
}

static void second(void)
{
    block.byte[PICK(13, 16)] = 1; // RACE2
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
