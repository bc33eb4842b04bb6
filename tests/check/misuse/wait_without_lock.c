// A condition wait without its mutex.
// EXPECT: misuse WAIT
#include "../twin.h"

#include <time.h>

static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

int main(void)
{
    struct timespec end = {1, 0};
    FIX(LOCK());
    pthread_cond_timedwait(&cond, &lock, &end); // WAIT
    FIX(UNLOCK());
    return 0;
}
