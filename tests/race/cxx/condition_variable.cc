// std::condition_variable with a predicate, and with a time limit.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global ready
#include <chrono>
#include <condition_variable>
#include <mutex>
#include "invisible.h"

bool ready, done;
int data, seen;
std::mutex mutex;
std::condition_variable changed;

static void producer()
{
    data = 1;
    FIX(std::lock_guard<std::mutex> hold(mutex));
    ready = true; // RACE1
    changed.notify_all();
}

static void consumer()
{
    std::unique_lock<std::mutex> hold(mutex);
    changed.wait_for(hold, std::chrono::nanoseconds(1), [] { return done; });
    changed.wait(hold, [] { return ready; }); // RACE2
    FIX(seen = data);
}

int main()
{
    run_in_order(producer, consumer);
    return 0;
}
