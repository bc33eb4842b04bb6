// promise and future, async, packaged_task, shared_future: get() comes after the work.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global done
#include <future>
#include <thread>
#include "invisible.h"

int done[4], sum;

static int work(int n)
{
    done[n] = 1; // RACE1
    hidden_post(n);
    return n;
}

static void check(int n)
{
    hidden_wait(n);
    sum += done[n]; // RACE2
}

int main()
{
    std::promise<int> promise;
    std::future<int> promised = promise.get_future();
    std::thread setter([&] { promise.set_value(work(0)); });
    FIX(promised.wait());
    check(0);
    std::future<int> asynchronous = std::async(std::launch::async, work, 1);
    FIX(asynchronous.get());
    check(1);
    std::packaged_task<int(int)> task(work);
    std::shared_future<int> packaged = task.get_future().share();
    std::thread runner(std::move(task), 2);
    FIX(packaged.get());
    check(2);
    std::future<int> lazy = std::async(std::launch::deferred, work, 3);
    lazy.get();
    check(3);
    setter.join();
    runner.join();
    return sum - 4;
}
