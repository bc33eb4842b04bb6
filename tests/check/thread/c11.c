// Threads of C11.
// EXPECT: data-race WORK/write WORK
#include "../twin.h"

#include <threads.h>

static mtx_t mutex;
static int n;

static int work(void *arg)
{
    (void)arg;
    FIX(mtx_lock(&mutex));
    n++; // WORK
    FIX(mtx_unlock(&mutex));
    return 3;
}

int main(void)
{
    thrd_t t[2];
    int result;
    mtx_init(&mutex, mtx_plain);
    for (int i = 0; i < 2; i++)
        if (thrd_create(&t[i], work, NULL) != thrd_success)
            abort();
    for (int i = 0; i < 2; i++)
        if (thrd_join(t[i], &result) != thrd_success || result != 3)
            abort();
    mtx_destroy(&mutex);
    return n;
}
