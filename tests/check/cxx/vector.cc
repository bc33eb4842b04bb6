// Two threads append to one vector.
// EXPECT: data-race PUSH PUSH
// ALLOW: misuse PUSH
#include "../twin.h"

#include <mutex>
#include <thread>
#include <vector>

static std::vector<int> v;
static std::mutex m;

static void work()
{
    for (int i = 0; i < 3; i++) {
        FIX(std::lock_guard<std::mutex> guard(m);)
        v.push_back(i); // PUSH
    }
}

int main()
{
    v.reserve(16);
    std::thread a(work), b(work);
    a.join();
    b.join();
    return v.size() == 6;
}
