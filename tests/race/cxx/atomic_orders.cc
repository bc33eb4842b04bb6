// std::atomic with explicit orders, operators and atomic_thread_fence.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global data
#include <atomic>
#include "invisible.h"

int data[3], sum;
std::atomic<int> flag;
std::atomic<int *> pointer;
std::atomic<bool> once;

static void put(int n)
{
    data[n] = 1; // RACE1
}

static void get(int n)
{
    sum += data[n]; // RACE2
}

static void first()
{
    put(0);
    flag.store(1, PICK(std::memory_order_relaxed, std::memory_order_release));
    put(1);
    pointer.store(data, PICK(std::memory_order_relaxed, std::memory_order_seq_cst));
    put(2);
    once.exchange(true, PICK(std::memory_order_relaxed, std::memory_order_acq_rel));
}

static void second()
{
    bool expected = true;
    if (flag.load(std::memory_order_acquire) == 1)
        get(0);
    if (pointer == data)
        get(1);
    if (once.compare_exchange_strong(expected, false))
        get(2);
}

int main()
{
    run_in_order(first, second);
    return sum - 3;
}
