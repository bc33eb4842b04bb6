// A detached task ends when somebody says so: who waits for it comes after both. In the bug nobody waits.
// FLAGS: -fopenmp
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global shared
// PEER: tsan may-alarm: the OpenMP library is not instrumented
#include <omp.h>
#include "invisible.h"

static int shared, seen, by_task, by_other, next;

static void *fulfill(void *event)
{
    by_other = 3;
    omp_fulfill_event((omp_event_handle_t)event);
    return 0;
}

static void good(void)
{
    omp_event_handle_t event = (omp_event_handle_t)0;
#pragma omp task detach(event) depend(out : next)
    {
        pthread_t other;
        by_task = 2;
        pthread_create(&other, 0, fulfill, (void *)event);
        pthread_detach(other);
    }
#pragma omp task depend(in : next)
    next = by_task + by_other;
#pragma omp taskwait
    next++;
#pragma omp task detach(event)
    {
        by_task = 3;
        omp_fulfill_event(event);
    }
#pragma omp taskwait
    next += by_task;
}

static void *store(void *event)
{
    shared = 1; // RACE1
    omp_fulfill_event((omp_event_handle_t)event);
    hidden_post(0);
    return 0;
}

static void mistake(void)
{
    omp_event_handle_t event = (omp_event_handle_t)0;
#pragma omp task detach(event)
    {
        pthread_t other;
        pthread_create(&other, 0, store, (void *)event);
        pthread_detach(other);
    }
    FIX(
_Pragma("omp taskwait"))
    hidden_wait(0);
    seen = shared; // RACE2
}

int main(void)
{
#pragma omp parallel num_threads(3)
#pragma omp single
    {
        good();
        mistake();
    }
    return next != 9 || seen != 1;
}
