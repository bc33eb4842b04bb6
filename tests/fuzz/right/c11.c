/* c11.c: C11 threads, and a futex lock by hand. */
#include <assert.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

static mtx_t m;
static cnd_t c;
static once_flag flag = ONCE_FLAG_INIT;
static int turn, made, sum;
static atomic_int word;

static void make(void)
{
    made++;
}

static void lock(void)
{
    int free = 0;
    while (!atomic_compare_exchange_strong(&word, &free, 1)) {
        syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
        free = 0;
    }
}

static void unlock(void)
{
    atomic_store(&word, 0);
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static int run(void *arg)
{
    int me = *(int *)arg;
    call_once(&flag, make);
    mtx_lock(&m);
    while (turn != me)
        cnd_wait(&c, &m);
    turn++;
    cnd_broadcast(&c);
    mtx_unlock(&m);
    lock();
    sum += me;
    unlock();
    thrd_yield();
    return me;
}

int main(void)
{
    enum { N = 3 };
    thrd_t t[N];
    int number[N], result;
    mtx_init(&m, mtx_plain);
    cnd_init(&c);
    for (int i = 0; i < N; i++) {
        number[i] = i;
        thrd_create(&t[i], run, &number[i]);
    }
    for (int i = 0; i < N; i++) {
        thrd_join(t[i], &result);
        assert(result == i);
    }
    assert(made == 1 && sum == N * (N - 1) / 2);
    return 0;
}
