// An exception that two threads hold: whoever is last destroys it, after the other has read it.
// EXPECT: data-race RACE1/write RACE2/read
#include <exception>
#include <thread>
#include "invisible.h"

struct failure {
    int code;
    ~failure()
    {
        code = 0;
    }
};

int seen[2];

static void first(std::exception_ptr p)
{
    try {
        std::rethrow_exception(p);
    } catch (failure &f) {
        BUG(f.code = 7;) // RACE1
        FIX(seen[0] = f.code);
    }
}

static void second(std::exception_ptr p)
{
    try {
        std::rethrow_exception(p);
    } catch (failure &f) {
        seen[1] = f.code; // RACE2
    }
}

int main()
{
    std::exception_ptr p;
    try {
        throw failure{7};
    } catch (...) {
        p = std::current_exception();
    }
    std::thread a([p]() mutable {
        first(p);
        p = nullptr;
        hidden_post(0);
    });
    std::thread b([q = std::move(p)]() mutable {
        hidden_wait(0);
        second(q);
        q = nullptr;
    });
    a.join();
    b.join();
    return seen[1] - 7;
}
