// latch, barrier and counting_semaphore of C++20.
// FLAGS: -std=c++20
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global done
#include <barrier>
#include <latch>
#include <semaphore>
#include <thread>
#include "invisible.h"

int done[3], sum;
std::latch latch(1);
std::barrier<> barrier(2);
std::counting_semaphore<4> semaphore(0);

static void put(int n)
{
    done[n] = 1; // RACE1
}

static void get(int n)
{
    sum += done[n]; // RACE2
}

int main()
{
    std::thread worker([] {
        put(0);
        FIX(latch.count_down());
        put(1);
        FIX(barrier.arrive_and_wait());
        put(2);
        FIX(semaphore.release());
        hidden_post(0);
    });
    BUG(hidden_wait(0));
    FIX(latch.wait());
    get(0);
    FIX(barrier.arrive_and_wait());
    get(1);
    FIX(semaphore.acquire());
    get(2);
    worker.join();
    return sum - 3;
}
