// pthread_tryjoin_np and pthread_timedjoin_np join when they succeed, and only then.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global data
#include <time.h>
#include "invisible.h"

int data[2], seen;

static void *child(void *arg)
{
    data[arg != NULL] = 1; // RACE1
    hidden_post(arg != NULL);
    BUG(hidden_wait(2)); /* alive while main tries */
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    struct timespec until = {0, 0};
    FIX(clock_gettime(CLOCK_REALTIME, &until));
    FIX(until.tv_sec += 1000);
    pthread_create(&a, NULL, child, NULL);
    pthread_create(&b, NULL, child, (void *)1);
    hidden_wait(0);
    hidden_wait(1);
    int left = pthread_tryjoin_np(a, NULL);
    FIX(while (left) left = pthread_tryjoin_np(a, NULL));
    seen += data[0]; // RACE2
    int late = pthread_timedjoin_np(b, NULL, &until);
    seen += data[1]; // RACE2
    hidden_post(2);
    if (left)
        pthread_join(a, NULL);
    if (late)
        pthread_join(b, NULL);
    return seen - 2;
}
