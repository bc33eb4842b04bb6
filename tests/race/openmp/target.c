// What would run on a device runs here when there is none: `target`, with and without nowait, `teams`, `distribute`. In the
// bug nothing waits for it.
// FLAGS: -fopenmp
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global shared
// PEER: tsan may-alarm: the OpenMP library is not instrumented
#include <omp.h>
#include "invisible.h"

enum { SIZE = 100 };
static int numbers[SIZE], sum, shared, seen;

static void device(void)
{
#pragma omp target teams distribute parallel for map(tofrom : numbers) num_teams(2) thread_limit(2)
    for (int i = 0; i < SIZE; i++)
        numbers[i] = i;
#pragma omp target teams distribute parallel for map(to : numbers) map(tofrom : sum) reduction(+ : sum)
    for (int i = 0; i < SIZE; i++)
        sum += numbers[i];
#pragma omp target data map(tofrom : numbers)
    {
#pragma omp target nowait depend(out : numbers)
        numbers[0] = 3;
#pragma omp target nowait depend(inout : numbers)
        numbers[0]++;
#pragma omp task depend(inout : numbers)
        numbers[0]++;
#pragma omp taskwait
    }
    sum += numbers[0];
#pragma omp teams num_teams(2)
#pragma omp distribute
    for (int i = 0; i < SIZE; i++)
        numbers[i]++;
}

static void mistake(void)
{
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
#pragma omp target map(tofrom : shared)
            shared = 1; // RACE1
            hidden_post(0);
        }
        FIX(
_Pragma("omp barrier"))
        if (omp_get_thread_num() == 1) {
            hidden_wait(0);
            seen = shared; // RACE2
        }
    }
}

int main(void)
{
    device();
    mistake();
    return sum != 4950 + 5 || numbers[5] != 6 || seen != 1;
}
