/*
 * switches.c THREADS SWITCHES: threads that hand a baton on to one another at random, by futexes and on one
 * processor, and do nothing else: what the kernel takes for the switches of a schedule.
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST = 256 };

static struct {
    uint32_t word;
    char apart[60];
} baton[MOST];
static uint32_t threads;
static long left; /* of whoever has the baton */
static uint64_t random_state = 1;

static uint32_t below(uint32_t n)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random_state >> 33) % n);
}

static void give(uint32_t i)
{
    __atomic_store_n(&baton[i].word, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, &baton[i].word, FUTEX_WAKE_PRIVATE, 1, NULL);
}

static void await(uint32_t i)
{
    while (!__atomic_exchange_n(&baton[i].word, 0, __ATOMIC_ACQUIRE))
        syscall(SYS_futex, &baton[i].word, FUTEX_WAIT_PRIVATE, 0, NULL);
}

static void *worker(void *arg)
{
    uint32_t own = (uint32_t)(intptr_t)arg;
    for (;;) {
        await(own);
        if (left-- <= 0)
            _exit(0);
        give((own + 1 + below(threads - 1)) % threads);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    cpu_set_t one;
    pthread_t t;
    threads = argc > 1 ? (uint32_t)atoi(argv[1]) : 2;
    left = argc > 2 ? atol(argv[2]) : 1000;
    if (threads < 2 || threads > MOST)
        return 2;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
    for (uint32_t i = 0; i < threads; i++)
        pthread_create(&t, NULL, worker, (void *)(intptr_t)i);
    give(0);
    for (;;)
        pause();
}
