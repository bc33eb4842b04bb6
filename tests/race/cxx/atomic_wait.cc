// atomic wait and notify of C++20; notifying is no store.
// FLAGS: -std=c++20
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global data
#include <atomic>
#include <thread>
#include "invisible.h"

int data, seen;
std::atomic<int> state;

int main()
{
    std::thread producer([] {
        hidden_wait(0);
        FIX(data = 1);
        state.store(1);
        state.notify_all();
        BUG(data = 1;) // RACE1
        hidden_post(1);
    });
    hidden_post(0);
    state.wait(0);
    hidden_wait(1);
    seen = data; // RACE2
    producer.join();
    return seen - 1;
}
