// Destructors of thread_local objects run in the thread, before it can be joined.
// EXPECT: data-race RACE1 RACE2/read
// EXPECT-OBJECT: global destroyed
#include <thread>
#include "invisible.h"

int destroyed;

struct counter {
    int value = 1;
    ~counter()
    {
        destroyed += value; // RACE1
        hidden_post(0);
    }
};
static thread_local counter mine;

int main()
{
    std::thread t([] { mine.value++; });
    hidden_wait(0);
    FIX(t.join());
    int seen = destroyed; // RACE2
    BUG(t.join());
    return seen - 2;
}
