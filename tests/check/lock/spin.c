// Spin locks.
// EXPECT: data-race WORK/write WORK
#include "../twin.h"

static pthread_spinlock_t spin;
static int n;

static void *work(void *arg)
{
    FIX(pthread_spin_lock(&spin));
    n++; // WORK
    FIX(pthread_spin_unlock(&spin));
    return arg;
}

int main(void)
{
    pthread_spin_init(&spin, 0);
    run_two(work, work);
    pthread_spin_destroy(&spin);
    return n;
}
