/* cut_short.c: the first two runs without a schedule abort before there is anything to see, as one does
 * whose bug shows by itself. So they are repeated. */
// EXPECT: confirmed data-race harmful `made`
// EXPECT: effect assertion failed
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int made;
static sem_t is_made;

/* How often main has begun, this time included. */
static long begun(void)
{
#ifdef FIXED
    FILE *f = fopen("begun_fixed", "a+");
#else
    FILE *f = fopen("begun", "a+");
#endif
    long times;
    assert(f && fputc('x', f) == 'x');
    times = ftell(f);
    fclose(f);
    return times;
}

static void *one(void *arg)
{
    made = 1;
    sem_post(&is_made);
    return arg;
}

static void *other(void *arg)
{
    usleep(1000);
#ifdef FIXED
    sem_wait(&is_made);
#endif
    assert(made);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    long times = begun();
    if (times == 2 || times == 3) /* the first is under the scheduler, to see how long it takes */
        abort();
    sem_init(&is_made, 0, 0);
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
