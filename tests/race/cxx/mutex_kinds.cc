// std::mutex, recursive_mutex, timed_mutex, shared_mutex and scoped_lock.
// EXPECT: data-race RACE1 RACE1
// EXPECT-OBJECT: global shared
// PEER: tsan may-alarm: older ones do not know pthread_mutex_clocklock
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include "invisible.h"

int shared[5];
std::mutex plain, left, right;
std::recursive_mutex recursive;
std::timed_mutex timed;
std::shared_mutex rw;

static void bump(int n)
{
    shared[n]++; // RACE1
}

static void both()
{
    {
        FIX(std::lock_guard<std::mutex> hold(plain));
        bump(0);
    }
    {
        FIX(std::lock_guard<std::recursive_mutex> once(recursive));
        FIX(recursive.lock(), recursive.unlock());
        bump(1);
    }
    {
        FIX(std::unique_lock<std::timed_mutex> hold(timed, std::chrono::hours(1)));
        bump(2);
    }
    {
        FIX(std::unique_lock<std::shared_mutex> hold(rw));
        bump(3);
    }
    {
        FIX(std::scoped_lock<std::mutex, std::mutex> hold(left, right));
        bump(4);
    }
}

int main()
{
    run_in_order(both, both);
    return shared[4] - 2;
}
