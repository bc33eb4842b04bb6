// One thread inserts into a map while another looks something up.
// EXPECT: data-race PUT GET
// ALLOW: misuse GET
// ALLOW: misuse PUT
#include "../twin.h"

#include <map>
#include <mutex>
#include <thread>

static std::map<int, int> table;
static std::mutex m;

static void put()
{
    for (int i = 0; i < 3; i++) {
        FIX(std::lock_guard<std::mutex> guard(m);)
        table[i] = i; // PUT
    }
}

int main()
{
    std::thread t(put);
    int seen;
    {
        FIX(std::lock_guard<std::mutex> guard(m);)
        seen = (int)table.count(1); // GET
    }
    t.join();
    return seen;
}
