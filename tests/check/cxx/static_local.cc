// A static local is initialised once, by whoever comes first; what it counts afterwards is not protected.
// EXPECT: data-race COUNT/write COUNT
#include "../twin.h"

#include <atomic>
#include <thread>

struct counter {
    PICK(int, std::atomic<int>) n;
    counter() : n(0) {}
};

static counter &the()
{
    static counter c;
    return c;
}

static void work()
{
    the().n++; // COUNT
}

int main()
{
    std::thread a(work), b(work);
    a.join();
    b.join();
    return 0;
}
