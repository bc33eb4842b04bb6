// An exception goes from one thread to another through a future.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global cause
#include <future>
#include <stdexcept>
#include "invisible.h"

int cause, seen;

int main()
{
    std::future<void> result = std::async(std::launch::async, [] {
        cause = 3; // RACE1
        hidden_post(0);
        throw std::runtime_error("failed");
    });
    hidden_wait(0);
    BUG(seen = cause;) // RACE2
    try {
        result.get();
    } catch (std::runtime_error &) {
        FIX(seen = cause);
    }
    return seen - 3;
}
