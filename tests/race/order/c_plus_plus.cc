// std::lock takes two mutexes in any order without harm; nested lock_guards do not.
// EXPECT: lock-order TAKE1 TAKE2
#include <mutex>
#include "invisible.h"

static std::mutex a, b;

static void first()
{
    FIX(std::scoped_lock<std::mutex, std::mutex> hold(a, b));
    BUG(std::lock_guard<std::mutex> hold(a));
    BUG(std::lock_guard<std::mutex> more(b);) // TAKE1
}

static void second()
{
    FIX(std::scoped_lock<std::mutex, std::mutex> hold(b, a));
    BUG(std::lock_guard<std::mutex> hold(b));
    BUG(std::lock_guard<std::mutex> more(a);) // TAKE2
}

int main()
{
    run_in_order(first, second);
    return 0;
}
