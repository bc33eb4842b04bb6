// oneTBB: the headers are instrumented, the library that runs the tasks is not. Loops, reductions, task
// groups, queues, arenas and graphs order what they promise. In the bug the parts of a loop write one
// variable.
// PACKAGE: tbb
// EXPECT: data-race RACE1/write RACE1/write
// EXPECT-OBJECT: global shared
// PEER: tsan may-alarm: oneTBB is not instrumented
#include <oneapi/tbb.h>
#include <atomic>
#include <vector>
#include "invisible.h"

static int shared;
BUG(static std::atomic<int> parts;)

static long loops(std::vector<int> &v)
{
    tbb::parallel_for(tbb::blocked_range<size_t>(0, v.size(), 16), [&](const auto &r) {
        for (size_t i = r.begin(); i < r.end(); i++)
            v[i] = (int)i;
    });
    tbb::parallel_sort(v.begin(), v.end(), std::greater<int>());
    return tbb::parallel_reduce(
        tbb::blocked_range<size_t>(0, v.size()), 0l,
        [&](const auto &r, long sum) {
            for (size_t i = r.begin(); i < r.end(); i++)
                sum += v[i];
            return sum;
        },
        std::plus<long>());
}

static int groups()
{
    int a = 0, b = 0;
    tbb::task_group g;
    g.run([&] { a = 1; });
    g.run_and_wait([&] { b = 2; });
    std::vector<int> made(20);
    for (int i = 0; i < 20; i++) {
        made[(size_t)i] = i;
        g.run([&made, i] { made[(size_t)i]++; });
    }
    g.wait();
    for (int m : made)
        a += m;
    return a + b;
}

static int queues()
{
    tbb::concurrent_bounded_queue<int *> q;
    q.set_capacity(4);
    tbb::task_group g;
    int sum = 0;
    tbb::task_arena arena(2);
    arena.execute([&] {
        tbb::parallel_invoke(
            [&] {
                for (int i = 0; i < 30; i++)
                    q.push(new int(i));
            },
            [&] {
                for (int i = 0; i < 30; i++) {
                    int *p;
                    q.pop(p);
                    sum += *p;
                    delete p;
                }
            });
    });
    return sum;
}

static int graphs()
{
    tbb::flow::graph g;
    int sum = 0;
    tbb::flow::function_node<int *, int *> twice(g, tbb::flow::unlimited, [](int *p) {
        *p *= 2;
        return p;
    });
    tbb::flow::function_node<int *, int> add(g, tbb::flow::serial, [&](int *p) {
        sum += *p;
        delete p;
        return sum;
    });
    tbb::flow::make_edge(twice, add);
    for (int i = 0; i < 20; i++)
        twice.try_put(new int(i));
    g.wait_for_all();
    return sum;
}

static void mistake()
{
    tbb::task_arena arena(2);
    arena.execute([&] {
        tbb::parallel_for(0, 2, [](int i) {
            (void)i;
            BUG(parts.fetch_add(1, std::memory_order_relaxed);)
            BUG(while (parts.load(std::memory_order_relaxed) < 2) {})
            BUG(shared = i;) // RACE1
        }, tbb::simple_partitioner());
    });
}

int main()
{
    tbb::global_control most(tbb::global_control::max_allowed_parallelism, 4);
    std::vector<int> v(2000);
    long sum = loops(v) + groups() + queues() + graphs();
    mistake();
    return shared > 1 || sum != 1999000 + 3 + 210 + 435 + 380;
}
