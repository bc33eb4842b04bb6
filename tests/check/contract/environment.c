// One thread changes the environment while another reads it.
// EXPECT: thread-safety-violation SET GET
#include "../twin.h"

static const char *home;

static void *change(void *arg)
{
    FIX(LOCK());
    setenv("HOME", "/", 1); // SET
    FIX(UNLOCK());
    return arg;
}

static void *look(void *arg)
{
    FIX(LOCK());
    home = getenv("HOME"); // GET
    FIX(UNLOCK());
    return arg;
}

int main(void)
{
    run_two(change, look);
    return 0;
}
