// std::thread with a lambda that captures a local by reference.
// EXPECT: data-race RACE1 RACE2
// EXPECT-OBJECT: stack
#include <mutex>
#include <thread>
#include "invisible.h"

int main()
{
    int total = 0;
    [[maybe_unused]] std::mutex mutex;
    std::thread adder([&] {
        FIX(std::lock_guard<std::mutex> hold(mutex));
        total += 1; // RACE1
        hidden_post(0);
    });
    hidden_wait(0);
    FIX(mutex.lock());
    total += 2; // RACE2
    FIX(mutex.unlock());
    adder.join();
    return total - 3;
}
