// The main thread leaves by pthread_exit; another joins it and ends the process.
#include "check.h"

static pthread_t main_thread;
static int left_behind;

static void *last(void *arg)
{
    CHECK(join(main_thread) == (void *)3);
    CHECK(left_behind == 1); /* ordered by the join */
    puts("ok");
    exit(0);
    return arg;
}

int main(void)
{
    main_thread = pthread_self();
    start(last, NULL);
    left_behind = 1;
    pthread_exit((void *)3);
}
