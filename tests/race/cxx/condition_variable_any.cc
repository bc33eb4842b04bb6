// std::condition_variable_any over a shared_mutex.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global data
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include "invisible.h"

bool ready;
int data, seen;
std::shared_mutex mutex;
std::condition_variable_any changed;

static void producer()
{
    FIX(data = 1);
    {
        std::unique_lock<std::shared_mutex> hold(mutex);
        ready = true;
        changed.notify_one();
    }
    BUG(data = 1;) // RACE1
}

static void consumer()
{
    std::shared_lock<std::shared_mutex> hold(mutex);
    changed.wait(hold, [] { return ready; });
    seen = data; // RACE2
}

int main()
{
    run_in_order(producer, consumer);
    return seen - 1;
}
