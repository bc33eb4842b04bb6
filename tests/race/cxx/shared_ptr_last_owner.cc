// The last owner destroys: with shared_ptr in order, with a hand-made relaxed count not.
// EXPECT: data-race RACE1 RACE2
// EXPECT-OBJECT: heap
#include <atomic>
#include <memory>
#include "invisible.h"

struct value {
    int number = 7;
    ~value()
    {
        number = 0; // RACE2
    }
};

struct relaxed_pointer {
    value *target;
    std::atomic<int> *count;
    void reset()
    {
        if (count->fetch_sub(1, std::memory_order_relaxed) == 1)
            delete target; // RACE2
    }
    value *operator->()
    {
        return target;
    }
};

static PICK(relaxed_pointer, std::shared_ptr<value>) owners[2];

static void first()
{
    owners[0]->number++; // RACE1
    owners[0].reset();
}

static void second()
{
    owners[1].reset(); // RACE2
}

int main()
{
    BUG(owners[0] = owners[1] = {new value, new std::atomic<int>(2)});
    FIX(owners[0] = owners[1] = std::make_shared<value>());
    run_in_order(first, second);
    return 0;
}
