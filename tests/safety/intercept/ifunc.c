// EXPECT: pot_fill pot_fill
// LIBRARY: -Wl,-soname,prog.so
// LINK-LIBRARY:
// FLAGS-EACH: -Wl,-z,lazy | -Wl,-z,now | -fno-plt
// FLAGS: -Wl,-rpath,$ORIGIN
// OPTIONS: --contracts {dir}/ifunc.contract
// The library chooses the function when it is loaded; it is called directly and through a pointer.
void pot_fill(int *pot);

#ifdef LIBRARY
static void fill(int *pot)
{
    __atomic_fetch_add(pot, 1, __ATOMIC_RELAXED);
}

static void (*choose(void))(int *)
{
    return fill;
}

void pot_fill(int *pot) __attribute__((ifunc("choose")));
#else
#include <stdio.h>

#include "together.h"

static void *work(void *pot)
{
    void (*volatile by_pointer)(int *) = pot_fill;
    arrive();
    for (int i = 0; i < ROUNDS / 4; i++) {
        LOCK;
        if (i % 2)
            pot_fill(pot);
        else
            by_pointer(pot);
        UNLOCK;
    }
    return 0;
}

int main(void)
{
    int pot = 0;
    together(work, work, &pot);
    puts("done");
    return 0;
}
#endif
