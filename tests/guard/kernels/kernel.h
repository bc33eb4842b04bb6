/*
 * kernel.h: the frame of a bug kernel: two threads, one bug, in few lines, after the public
 * description of a bug in a real program.
 *
 *     prog [SEED]    training: the threads start at random times, nothing widens the bug's window
 *     prog bad       sleeps bring the failing interleaving about (as in section 5.2 of the paper)
 *
 * A kernel defines one(), two() and is_correct(), and may define SETUP. Built with -DFIXED,
 * FIX_LOCK and the like do what the fix of the bug did; otherwise they are nothing. The frame
 * itself is not instrumented: it is not part of the program.
 */
#ifndef KERNEL_H
#define KERNEL_H

#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HIDDEN __attribute__((no_sanitize("thread"), noinline, unused))

static void one(void);
static void two(void);
static int is_correct(void);

static int kernel_bad;
static unsigned kernel_seed, kernel_gaps = 1;
static pthread_mutex_t kernel_lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t kernel_sem;

#ifdef FIXED
#define FIX_LOCK() pthread_mutex_lock(&kernel_lock)
#define FIX_UNLOCK() pthread_mutex_unlock(&kernel_lock)
#define FIX_POST() sem_post(&kernel_sem)
#define FIX_WAIT() sem_wait(&kernel_sem)
#else
#define FIX_LOCK() ((void)0)
#define FIX_UNLOCK() ((void)0)
#define FIX_POST() ((void)0)
#define FIX_WAIT() ((void)0)
#endif

static volatile int kernel_inside, kernel_arrived;

/* Until the other thread is where the bug needs it; not for ever. */
HIDDEN static void await(const volatile int *flag)
{
    for (int i = 0; i < 2000 && !*flag; i++)
        usleep(100);
}

/* A thread's beginning: at a random moment in training. When the bug is wanted: at once, or (us)
 * when the other one is inside. */
HIDDEN static void start(unsigned us)
{
    unsigned random = kernel_seed = kernel_seed * 1103515245u + 12345u;
    if (kernel_bad && us) {
        await(&kernel_inside);
        kernel_arrived = 1;
    } else if (!kernel_bad) {
        usleep((random >> 16) % 4 * 400);
    }
}

/* Inside a region: only when the bug is wanted. The other one has come, and gets some time. */
HIDDEN static void gap(unsigned us)
{
    if (!kernel_bad)
        return;
    kernel_inside = 1;
    await(&kernel_arrived);
    usleep(us * kernel_gaps);
}

/* What usually comes first, and what usually comes later; when the bug is wanted the other way
 * round. */
HIDDEN static void usually_first(void)
{
    if (!kernel_bad)
        return;
    await(&kernel_arrived);
    usleep(2000 * kernel_gaps);
}

HIDDEN static void usually_later(void)
{
    kernel_arrived = 1;
    if (!kernel_bad)
        usleep(2500 * kernel_gaps);
}

static void *run_one(void *unused)
{
    (void)unused;
    one();
    return 0;
}

static void *run_two(void *unused)
{
    (void)unused;
    two();
    return 0;
}

HIDDEN static void prepare(int argc, char **argv)
{
    kernel_bad = argc > 1 && strcmp(argv[1], "bad") == 0;
    kernel_seed = argc > 1 && !kernel_bad ? (unsigned)atoi(argv[1]) : (unsigned)getpid();
    if (getenv("KERNEL_GAPS"))
        kernel_gaps = (unsigned)atoi(getenv("KERNEL_GAPS"));
    sem_init(&kernel_sem, 0, 0);
    (void)kernel_lock;
}

#ifndef KERNEL_OWN_MAIN
#ifndef SETUP
#define SETUP ((void)0)
#endif
int main(int argc, char **argv)
{
    pthread_t a, b;
    prepare(argc, argv);
    SETUP;
    pthread_create(&a, 0, run_one, 0);
    pthread_create(&b, 0, run_two, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    if (is_correct())
        return 0;
    puts("wrong result");
    return 1;
}
#endif

#endif
