// A byte through a pipe orders what came before the write before what comes after the read.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global data
#include <unistd.h>
#include "invisible.h"

int data, seen, ends[2], other[2];

static void writer(void)
{
    data = 1; // RACE1
    if (write(ends[1], "x", 1) != 1)
        _exit(2);
}

static void reader(void)
{
    char c;
    if (read(PICK(other, ends)[0], &c, 1) != 1)
        _exit(2);
    seen = data; // RACE2
}

int main(void)
{
    if (pipe(ends) || pipe(other) || write(other[1], "y", 1) != 1)
        return 2;
    run_in_order(writer, reader);
    return seen - 1;
}
