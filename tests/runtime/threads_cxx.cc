// std::thread and its friends, exceptions through threads and once, thread_local destructors.
#include <atomic>
#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <queue>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
#include "check.h"

static std::mutex mutex;
static std::condition_variable ready;
static std::queue<std::string> jobs;
static std::once_flag flag;
static int attempts, destroyed;
char *volatile kept;

struct Local {
    ~Local()
    {
        std::lock_guard<std::mutex> lock(mutex);
        destroyed++;
    }
    int used = 0;
};
static thread_local Local local;

static void consume(int n)
{
    local.used++;
    for (int i = 0; i < n; i++) {
        std::unique_lock<std::mutex> lock(mutex);
        ready.wait(lock, [] { return !jobs.empty(); });
        jobs.pop();
    }
}

static void queue()
{
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back(consume, 250);
    for (int i = 0; i < 1000; i++) {
        std::lock_guard<std::mutex> lock(mutex);
        jobs.push("job number " + std::to_string(i));
        ready.notify_one();
    }
    for (auto &t : threads)
        t.join();
    CHECK(jobs.empty() && destroyed == 4);
}

static void initialise()
{
    if (attempts++ == 0)
        throw std::runtime_error("again");
}

static void once()
{
    try {
        std::call_once(flag, initialise);
    } catch (const std::runtime_error &) {
        std::call_once(flag, initialise);
    }
    CHECK(attempts == 2);
}

static int deep(int n)
{
    std::vector<int> v(10, n);
    if (n == 0)
        throw std::runtime_error("deep");
    return deep(n - 1) + v[5];
}

static void futures()
{
    auto answer = std::async(std::launch::async, [] { return 42; });
    auto failure = std::async(std::launch::async, deep, 100);
    CHECK(answer.get() == 42);
    bool caught = false;
    try {
        failure.get();
    } catch (const std::runtime_error &e) {
        caught = std::string(e.what()) == "deep";
    }
    CHECK(caught);
}

static void shared()
{
    auto p = std::make_shared<std::vector<int>>(100, 1);
    std::shared_mutex rw;
    std::vector<std::thread> threads;
    std::atomic<int> sum{0};
    for (int i = 0; i < 4; i++)
        threads.emplace_back([p, &rw, &sum] {
            for (int j = 0; j < 100; j++) {
                std::shared_lock<std::shared_mutex> lock(rw);
                sum += (*p)[static_cast<size_t>(j)];
            }
            std::unique_lock<std::shared_mutex> lock(rw);
            p->push_back(1);
        });
    for (auto &t : threads)
        t.join();
    CHECK(sum == 400 && p->size() == 104);
}

int main()
{
    queue();
    once();
    futures();
    shared();
    try {
        kept = new char[static_cast<size_t>(-1) / 4];
        CHECK(!"thrown");
    } catch (const std::bad_alloc &) {
    }
    puts("ok");
}
