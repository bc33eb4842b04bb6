// std::thread and std::lock_guard.
// EXPECT: data-race WORK/write WORK
#include "../twin.h"

#include <mutex>
#include <thread>

static int n;
static std::mutex m;

static void work()
{
    FIX(std::lock_guard<std::mutex> guard(m);)
    n++; // WORK
}

int main()
{
    std::thread a(work), b(work);
    a.join();
    b.join();
    return n;
}
