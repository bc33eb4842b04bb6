// Two mutexes in two orders; the fixed twin takes them in one.
// EXPECT: deadlock INNER_A INNER_B
#include "../twin.h"

#include <mutex>
#include <thread>

static std::mutex a, b;

static void first()
{
#ifdef FIXED
    a.lock();
    b.lock();
#else
    std::unique_lock<std::mutex> x(a);
    std::unique_lock<std::mutex> y(b); // INNER_A
#endif
    FIX(b.unlock(); a.unlock();)
}

static void second()
{
#ifdef FIXED
    a.lock();
    b.lock();
    b.unlock();
    a.unlock();
#else
    std::unique_lock<std::mutex> x(b);
    std::unique_lock<std::mutex> y(a); // INNER_B
#endif
}

int main()
{
    std::thread t(first), u(second);
    t.join();
    u.join();
    return 0;
}
