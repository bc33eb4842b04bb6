// A ticket lock of the program's own around hidden state.
#include <sched.h>
#include <stdatomic.h>

#include "module.h"

static atomic_uint next_ticket, serving;

static void *stamp(void *x)
{
    for (int i = 0; i < 40; i++) {
        time_t t = i;
        unsigned mine = atomic_fetch_add(&next_ticket, 1);
        while (atomic_load(&serving) != mine)
            sched_yield();
        if (!localtime(&t))
            return x;
        atomic_fetch_add(&serving, 1);
        work(8);
    }
    return 0;
}

int main(void)
{
    all(3, stamp);
    return 0;
}
