// Variables of threads: copyin, copyprivate, threadprivate, firstprivate, lastprivate, and regions in regions. In the
// bug nobody waits for the one that runs the `single` block.
// FLAGS: -fopenmp
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global shared
// PEER: tsan may-alarm: the OpenMP library is not instrumented
#include <omp.h>
#include "invisible.h"

static int own, shared, seen[3], last, outer[2], inner[2][2], total;
static double whole[4];
#pragma omp threadprivate(own)

static void copies(void)
{
    int first = 5, end = 0;
    double four[4] = {1, 2, 3, 4};
    own = 7;
#pragma omp parallel num_threads(3) copyin(own) firstprivate(first)
    {
        double mine[4];
        int number = first + own;
        own += omp_get_thread_num();
#pragma omp single copyprivate(number, mine)
        {
            number += 30;
            for (int i = 0; i < 4; i++)
                mine[i] = four[i];
        }
#pragma omp critical
        {
            total += number;
            whole[3] += mine[3];
        }
#pragma omp for lastprivate(end)
        for (int i = 0; i < 9; i++)
            end = i;
#pragma omp single
        last = end;
    }
}

static void nested(void)
{
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
        int me = omp_get_thread_num();
        outer[me] = me + 1;
#pragma omp parallel num_threads(2)
        {
            inner[me][omp_get_thread_num()] = outer[me];
#pragma omp barrier
            if (omp_get_thread_num() == 0)
                inner[me][0] += inner[me][1];
        }
        outer[me] = inner[me][0];
    }
    total += outer[0] + outer[1];
}

static void mistake(void)
{
#pragma omp parallel num_threads(3)
    {
        BUG(
_Pragma("omp single nowait"))
        FIX(
_Pragma("omp single"))
        {
            shared = 1; // RACE1
            hidden_post(0);
        }
        hidden_wait(0);
        seen[omp_get_thread_num()] = shared; // RACE2
    }
}

int main(void)
{
    copies();
    nested();
    mistake();
    return total != 3 * 42 + 6 || whole[3] != 12 || last != 8 || seen[2] != 1;
}
