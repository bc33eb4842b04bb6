// A flag that is set without the lock: the wakeup comes between the look at it and the wait.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

struct Pool {
    std::mutex m;
    std::condition_variable wake;
    std::atomic<bool> stop{false};
    std::thread worker;

    Pool()
        : worker([this] {
              std::unique_lock<std::mutex> l(m);
              while (!stop)
                  wake.wait(l);
          })
    {
    }

    ~Pool()
    {
        stop = true;
        wake.notify_one();
        worker.join();
    }
};

int main()
{
    Pool p;
    return 0;
}
