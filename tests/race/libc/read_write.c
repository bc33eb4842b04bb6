// read(2) writes the buffer and write(2) reads it, in a thread that another one does not wait for.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global out
// EXPECT: data-race RACE3/write RACE4/read
// EXPECT-OBJECT: global in
#include <unistd.h>
#include "invisible.h"

char out[16], in[16], seen;
int ends[2];

static void first(void)
{
    out[3] = 1;                    // RACE1
    if (read(ends[0], in, 8) != 8) // RACE3
        _exit(1);
}

static void second(void)
{
    BUG(if (write(1, out, 0) < 0 || write(ends[1], out, 8) != 8) _exit(1);) // RACE2
    seen = in[PICK(7, 8)];                                                  // RACE4
}

int main(void)
{
    if (pipe(ends) || write(ends[1], "12345678", 8) != 8)
        return 1;
    run_in_order(first, second);
    return 0;
}
