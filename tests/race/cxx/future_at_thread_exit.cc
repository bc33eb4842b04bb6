// set_value_at_thread_exit and its kin: get() comes after all that the thread did, also after what it
// did when the result was set already.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global done
#include <future>
#include <stdexcept>
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

static void value()
{
    std::promise<int> promise;
    std::future<int> promised = promise.get_future();
    std::thread setter([&] {
        promise.set_value_at_thread_exit(0);
        work(0);
    });
    FIX(promised.get());
    check(0);
    setter.join();
}

static void exception()
{
    std::promise<int> promise;
    std::shared_future<int> promised = promise.get_future().share();
    std::thread setter([&] {
        promise.set_exception_at_thread_exit(std::make_exception_ptr(std::runtime_error("no")));
        work(1);
    });
    FIX(try { promised.get(); } catch (const std::runtime_error &) {});
    check(1);
    setter.join();
}

static void task()
{
    std::packaged_task<void()> packaged([] { work(2); });
    std::future<void> ready = packaged.get_future();
    std::thread runner([&] { packaged.make_ready_at_thread_exit(); });
    FIX(while (ready.wait_for(std::chrono::seconds(1)) != std::future_status::ready));
    check(2);
    runner.join();
}

// Nobody waits, and the state is gone before the thread ends.
static void abandoned()
{
    std::thread setter([] {
        std::promise<int> promise;
        promise.set_value_at_thread_exit(work(3));
    });
    setter.join();
    sum += done[3];
}

int main()
{
    value();
    exception();
    task();
    abandoned();
    return sum - 4;
}
