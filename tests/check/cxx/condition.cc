// A condition variable with a predicate; without the lock the predicate races.
// EXPECT: data-race SET/write WAIT
#include "../twin.h"

#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex m;
static std::condition_variable c;
static bool ready;

static void announce()
{
    FIX(m.lock();)
    ready = true; // SET
    FIX(m.unlock();)
    c.notify_one();
}

int main()
{
    std::thread t(announce);
    {
        std::unique_lock<std::mutex> guard(m);
        BUG(if (!ready)) FIX(while (!ready)) // WAIT
            FIX(c.wait(guard)) BUG((void)0);
    }
    t.join();
    return 0;
}
