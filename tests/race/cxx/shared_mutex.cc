// Writing under a shared_lock.
// EXPECT: data-race RACE1 RACE1
// EXPECT-OBJECT: global shared
// EXPECT-LOCKS: RACE1 rw
#include <mutex>
#include <shared_mutex>
#include "invisible.h"

int shared;
std::shared_mutex rw;

static void both()
{
    PICK(std::shared_lock, std::unique_lock)<std::shared_mutex> hold(rw);
    shared++; // RACE1
}

int main()
{
    run_in_order(both, both);
    return shared - 2;
}
