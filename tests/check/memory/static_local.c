// A static variable of a function is shared by all threads.
// EXPECT: data-race NEXT NEXT
// EXPECT-OBJECT: global last
#include "../twin.h"

static int next(void)
{
    PICK(static, static _Thread_local) int last;
    return ++last; // NEXT
}

static void *work(void *arg)
{
    next();
    return arg;
}

int main(void)
{
    run_two(work, work);
    return 0;
}
