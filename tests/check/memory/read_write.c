// One thread writes what the other reads.
// EXPECT: data-race WRITE/write READ/read
#include "../twin.h"

int data, seen;

static void *writer(void *arg)
{
    FIX(LOCK());
    data = 1; // WRITE
    FIX(UNLOCK());
    return arg;
}

static void *reader(void *arg)
{
    FIX(LOCK());
    seen = data; // READ
    FIX(UNLOCK());
    return arg;
}

int main(void)
{
    run_two(writer, reader);
    return seen;
}
