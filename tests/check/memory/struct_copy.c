// A struct is copied while one field is written.
// EXPECT: data-race COPY/read WRITE/write
#include "../twin.h"

struct point {
    long x, y, z, w;
} here, there;

static void *copy(void *arg)
{
    FIX(LOCK());
    there = here; // COPY
    FIX(UNLOCK());
    return arg;
}

static void *move(void *arg)
{
    FIX(LOCK());
    here.z = 3; // WRITE
    FIX(UNLOCK());
    return arg;
}

int main(void)
{
    run_two(copy, move);
    return (int)there.x;
}
