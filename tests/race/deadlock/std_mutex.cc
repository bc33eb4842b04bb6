// The same two locks in C++; std::scoped_lock takes both without a deadlock.
// EXPECT: deadlock WAIT1 WAIT2
// PEER: tsan cannot: it hangs with the program
#include <mutex>
#include <thread>
#include "invisible.h"

static std::mutex a, b;

static void first()
{
    FIX(std::scoped_lock<std::mutex, std::mutex> hold(a, b));
    BUG(std::lock_guard<std::mutex> hold(a); hidden_meet(0, 2));
    BUG(std::lock_guard<std::mutex> more(b);) // WAIT1
}

static void second()
{
    FIX(std::scoped_lock<std::mutex, std::mutex> hold(b, a));
    BUG(std::lock_guard<std::mutex> hold(b); hidden_meet(0, 2));
    BUG(std::lock_guard<std::mutex> more(a);) // WAIT2
}

int main()
{
    std::thread s(first), t(second);
    s.join();
    t.join();
    return 0;
}
