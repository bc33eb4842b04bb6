// A lambda captures by reference what main goes on to use.
// EXPECT: data-race INSIDE/write OUTSIDE
#include "../twin.h"

#include <thread>

int main()
{
    int n = 0;
    std::thread t([&] { n = 5; }); // INSIDE
    FIX(t.join();)
    int seen = n; // OUTSIDE
    BUG(t.join();)
    return seen;
}
