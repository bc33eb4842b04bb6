// A map of strings, filled under a lock and read without it.
// EXPECT: data-race RACE1 RACE2
#include <map>
#include <mutex>
#include <string>
#include "invisible.h"

static std::map<std::string, int> ages;
static std::mutex mutex;
static size_t seen;

static void first()
{
    std::lock_guard<std::mutex> hold(mutex);
    ages["ada"] = 36; // RACE1
}

static void second()
{
    FIX(std::lock_guard<std::mutex> hold(mutex));
    seen = ages.count("ada"); // RACE2
}

int main()
{
    run_in_order(first, second);
    return (int)seen - 1;
}
