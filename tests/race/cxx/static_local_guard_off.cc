// The same with an object, and what a compiler makes of it without thread-safe statics.
// EXPECT: data-race RACE1 RACE1
#include <new>
#include "invisible.h"

struct table {
    int entry[4];
    table()
    {
        for (int i = 0; i < 4; i++)
            entry[i] = i; // RACE1
    }
};

static table &instance()
{
    FIX(static table only);
    BUG(alignas(table) static char room[sizeof(table)]);
    BUG(static bool made);
    BUG(if (!made) new (room) table); // RACE1
    BUG(made = true);                 // RACE1
    return PICK(*(table *)(void *)room, only);
}

static int sum;
static void both()
{
    __atomic_fetch_add(&sum, instance().entry[3], __ATOMIC_RELAXED); // RACE1
}

int main()
{
    run_in_order(both, both);
    return sum - 6;
}
