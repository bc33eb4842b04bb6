// Copies of a shared_ptr may go in any thread; one shared_ptr object itself is not atomic.
// EXPECT: data-race RACE1 RACE2
#include <memory>
#include "invisible.h"

struct value {
    int number = 7;
    ~value()
    {
        number = 0;
    }
};
static std::shared_ptr<value> shared, copies[2];
static int seen;

static void first()
{
    seen += copies[0]->number;
    FIX(copies[0].reset());
    BUG(shared.reset(new value);) // RACE1
}

static void second()
{
    FIX(copies[1].reset());
    BUG(std::shared_ptr<value> mine = shared;) // RACE2
} // RACE2

int main()
{
    shared = std::make_shared<value>();
    copies[0] = copies[1] = shared;
    shared.reset();
    run_in_order(first, second);
    return seen - 7;
}
