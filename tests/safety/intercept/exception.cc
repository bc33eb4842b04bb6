// EXPECT: box_touch box_touch
// EXPECT-STDOUT: caught all
// OPTIONS: --contracts {dir}/own.contract
// LIBRARY:
// LINK-LIBRARY:
// C++: the function throws through the place of the call.
#include <stdio.h>

extern "C" int box_touch(int *box, int i);

#ifdef LIBRARY
extern "C" int box_touch(int *box, int i)
{
    if (i % 16 == 0)
        throw i;
    return *box;
}
#else
#include <atomic>
#include <mutex>
#include <thread>

static int box;
static std::atomic<int> arrived_, caught_;
static std::mutex lock_;

static void use()
{
    arrived_++;
    while (arrived_ < 2)
        std::this_thread::yield();
    for (int i = 0; i < 4000; i++) {
        try {
#ifdef FIXED
            std::lock_guard<std::mutex> hold(lock_);
#endif
            box_touch(&box, i);
        } catch (int) {
            caught_++;
        }
    }
}

int main()
{
    std::thread a(use), b(use);
    a.join();
    b.join();
    puts(caught_ == 500 ? "caught all" : "lost some");
    return 0;
}
#endif
