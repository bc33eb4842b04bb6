// A flag that publishes: relaxed does not, release and acquire do.
// EXPECT: data-race WRITE/write READ
#include "../twin.h"

#include <atomic>
#include <thread>

static int data;
static std::atomic<bool> ready{false};

static void produce()
{
    data = 42; // WRITE
    ready.store(true, PICK(std::memory_order_relaxed, std::memory_order_release));
}

int main()
{
    std::thread t(produce);
    int seen = 0;
    if (ready.load(PICK(std::memory_order_relaxed, std::memory_order_acquire)))
        seen = data; // READ
    t.join();
    return seen;
}
