// A once routine that needs itself.
// EXPECT: deadlock INNER
#include "../twin.h"

static pthread_once_t once = PTHREAD_ONCE_INIT, other = PTHREAD_ONCE_INIT;

static void nothing(void)
{
}

static void initialise(void)
{
    pthread_once(PICK(&once, &other), nothing); // INNER
}

static void *work(void *arg)
{
    pthread_once(&once, initialise);
    return arg;
}

int main(void)
{
    run_two(work, work);
    return 0;
}
