// Atomic operations of every kind, also on what no processor does at once, and flush. In the bug one of them is
// forgotten.
// FLAGS: -fopenmp
// FLAGS-clang: -latomic
// EXPECT: data-race RACE1/write RACE2/atomic
// EXPECT-OBJECT: global shared
// PEER: tsan may-alarm: the OpenMP library is not instrumented
#include <omp.h>
#include "invisible.h"

static int count, got[3], flag, payload, shared, seen, busy;
static double number;
static long double wide;

static void all(void)
{
    int before, after, value;
#pragma omp atomic
    count++;
#pragma omp atomic capture
    before = count++;
#pragma omp atomic capture
    {
        count += 2;
        after = count;
    }
#pragma omp atomic read
    value = count;
#pragma omp atomic
    number += 0.5;
#pragma omp atomic
    wide += 1;
    got[omp_get_thread_num()] = before && after && value;
}

/* A message by flush, as OpenMP 3 has it. */
static void send(void)
{
    if (omp_get_thread_num() == 0) {
        payload = 9;
#pragma omp flush
#pragma omp atomic write
        flag = 1;
    }
    if (omp_get_thread_num() == 1) {
        int ready = 0;
        while (!ready) {
#pragma omp atomic read
            ready = flag;
        }
#pragma omp flush
        payload++;
    }
}

static void mistake(void)
{
    if (omp_get_thread_num() == 0) {
        BUG(shared = 1;) // RACE1
        FIX(
_Pragma("omp atomic write") shared = 1;)
        hidden_post(0);
    }
    if (omp_get_thread_num() == 1) {
        hidden_wait(0);
#pragma omp atomic read
        seen = shared; // RACE2
    }
}

int main(void)
{
#pragma omp parallel num_threads(3)
    {
        all();
        send();
        mistake();
#pragma omp critical(one)
        busy++;
    }
    return count != 12 || number != 1.5 || wide != 3 || payload != 10 || seen != 1 || busy != 3 ||
           got[0] + got[1] + got[2] != 3;
}
