// sem_trywait, sem_timedwait and sem_clockwait give order when they succeed, and only then.
// EXPECT: data-race ONE/write ALSO_ONE/read
// EXPECT-OBJECT: global one
// EXPECT: data-race TWO/write ALSO_TWO/read
// EXPECT-OBJECT: global two
// EXPECT: data-race THREE/write ALSO_THREE/read
// EXPECT-OBJECT: global three
// PEER: tsan may-alarm: sem_clockwait is not known to older ones
// PEER: clang-tsan may-miss: reports one race of a granule
#include <semaphore.h>
#include <time.h>
#include "invisible.h"

int one, two, three, sum;
sem_t tried, timed, clocked;

static void producer(void)
{
    one = 1; // ONE
    FIX(sem_post(&tried));
    two = 1; // TWO
    FIX(sem_post(&timed));
    three = 1; // THREE
    FIX(sem_post(&clocked));
}

static void consumer(void)
{
    struct timespec past = {0, 0};
    sem_trywait(&tried);
    sum += one; // ALSO_ONE
    sem_timedwait(&timed, &past);
    sum += two; // ALSO_TWO
    sem_clockwait(&clocked, CLOCK_MONOTONIC, &past);
    sum += three; // ALSO_THREE
}

int main(void)
{
    sem_init(&tried, 0, 0);
    sem_init(&timed, 0, 0);
    sem_init(&clocked, 0, 0);
    run_in_order(producer, consumer);
    return sum - 3;
}
