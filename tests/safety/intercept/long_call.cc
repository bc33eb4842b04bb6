// EXPECT: box_touch box_wait
// EXPECT-STACK: wait
// EXPECT-STDOUT: right
// OPTIONS: --contracts {dir}/long.contract
// LIBRARY:
// LINK-LIBRARY:
// A call that lasts has its object until it returns: by a value of any kind, by an exception, by longjmp, by the
// end of its thread.
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>

struct pair {
    long a, b;
};
struct doubles {
    double a, b;
};

extern "C" {
int box_wait(int *box, void (*call)(void *), void *arg, int n, long m, double x);
double box_double(int *box, double x);
struct pair box_pair(int *box, long n);
struct doubles box_doubles(int *box, double x);
long double box_long_double(int *box, int n);
int box_touch(int *box);
}

#ifdef LIBRARY
int box_wait(int *box, void (*call)(void *), void *arg, int n, long m, double x)
{
    (void)box;
    call(arg);
    errno = 77;
    return n + (int)m + (int)x;
}
double box_double(int *, double x) { return x + 1; }
struct pair box_pair(int *, long n) { return {n, -n}; }
struct doubles box_doubles(int *, double x) { return {x, -x}; }
long double box_long_double(int *, int n) { return n + 0.5L; }
int box_touch(int *box) { return *box; }
#else

static int box, other;
static pthread_barrier_t inside, done;
static jmp_buf back;

static void nothing(void *) {}
static void fail(void *) { throw 1; }
static void jump(void *) { longjmp(back, 1); }
static void leave(void *) { pthread_exit(nullptr); }
static void meet(void *)
{
    pthread_barrier_wait(&inside);
    pthread_barrier_wait(&done);
}

static void *wait(void *)
{
    box_wait(&box, meet, nullptr, 1, 2, 3);
    return nullptr;
}

static void *end(void *)
{
    box_wait(&other, leave, nullptr, 1, 2, 3);
    return nullptr;
}

static void *touch(void *p)
{
    box_touch((int *)p);
    return nullptr;
}

/* Another thread may have the box, since nobody is in a call any more. */
static void touch_elsewhere(void *(*first)(void *))
{
    pthread_t thread;
    if (first) {
        pthread_create(&thread, nullptr, first, nullptr);
        pthread_join(thread, nullptr);
    }
    pthread_create(&thread, nullptr, touch, &other);
    pthread_join(thread, nullptr);
}

static bool returns()
{
    errno = 0;
    bool right = box_wait(&other, nothing, nullptr, 1, 2, 3) == 6 && errno == 77;
    struct pair p = box_pair(&other, 5);
    struct doubles d = box_doubles(&other, 7);
    right = right && box_double(&other, 2) == 3 && p.a == 5 && p.b == -5 && d.a == 7 && d.b == -7;
    return right && box_long_double(&other, 4) == 4.5L;
}

int main()
{
    bool right = returns();
    touch_elsewhere(nullptr);
    try {
        box_wait(&other, fail, nullptr, 1, 2, 3);
    } catch (int) {
        touch_elsewhere(nullptr);
    }
    if (!setjmp(back))
        box_wait(&other, jump, nullptr, 1, 2, 3);
    box_touch(&other);
    touch_elsewhere(end);
    pthread_t thread;
    pthread_barrier_init(&inside, nullptr, 2);
    pthread_barrier_init(&done, nullptr, 2);
    pthread_create(&thread, nullptr, wait, nullptr);
    pthread_barrier_wait(&inside);
#ifdef FIXED
    box_touch(&other);
#else
    box_touch(&box);
#endif
    pthread_barrier_wait(&done);
    pthread_join(thread, nullptr);
    puts(right ? "right" : "wrong");
    return 0;
}
#endif
