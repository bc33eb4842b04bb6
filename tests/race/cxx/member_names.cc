// Names in the report: a static member, a namespace, a template function.
// EXPECT: data-race RACE1 RACE2
// EXPECT-OBJECT: global bank::account::total
#include "invisible.h"

namespace bank
{
struct account {
    static long total;
    template <class T> void add(T amount)
    {
        total += amount; // RACE1
    }
};
long account::total;
} // namespace bank

static void first()
{
    bank::account().add(1);
}

static void second()
{
    BUG(bank::account::total = 0;) // RACE2
}

int main()
{
    run_in_order(first, second);
    return 0;
}
