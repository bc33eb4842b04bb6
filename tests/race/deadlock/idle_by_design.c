// Programs that are meant to wait: a server whose workers wait on a condition variable while one thread waits
// for signals, a wait that a timer's thread ends, a wait that ends by a signalfd, and a child whose threads
// wait until the parent kills it. None is a deadlock.
// EXPECT: deadlock WAIT
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "invisible.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static int quit, descriptor;
static sem_t ticked;

static void *worker(void *arg)
{
    pthread_mutex_lock(&mutex);
    while (!quit)
        pthread_cond_wait(&work, &mutex);
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void stop_workers(void)
{
    pthread_mutex_lock(&mutex);
    quit = 1;
    pthread_cond_broadcast(&work);
    pthread_mutex_unlock(&mutex);
}

static void *signals(void *arg)
{
    int got;
    sigwait(arg, &got);
    struct signalfd_siginfo info;
    if (read(descriptor, &info, sizeof info) == sizeof info)
        stop_workers();
    return NULL;
}

static void tick(union sigval value)
{
    sem_post(value.sival_ptr);
}

static void wait_for_timer(void)
{
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = tick};
    struct itimerspec once = {.it_value = {.tv_sec = 2}};
    event.sigev_value.sival_ptr = &ticked;
    sem_init(&ticked, 0, 0);
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &once, NULL);
    while (sem_wait(&ticked))
        continue;
    timer_delete(timer);
}

static void kill_idle_child(void)
{
    pid_t child = fork();
    if (child == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, worker, NULL);
        pthread_join(thread, NULL);
        _exit(1);
    }
    struct timespec while_it_waits = {.tv_sec = 2};
    nanosleep(&while_it_waits, NULL); // what is tested is that nothing happens in this time
    kill(child, SIGTERM);
    waitpid(child, NULL, 0);
}

static void stop_later(void)
{
    struct timespec later = {.tv_sec = 2};
    if (fork() == 0) {
        nanosleep(&later, NULL);
        kill(getppid(), SIGUSR1);
        kill(getppid(), SIGUSR2);
        _exit(0);
    }
}

int main(void)
{
    sigset_t one, both;
    pthread_t thread[3];
    kill_idle_child();
    wait_for_timer();
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    both = one;
    sigaddset(&both, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &both, NULL);
    sigdelset(&both, SIGUSR1);
    descriptor = signalfd(-1, &both, 0);
    pthread_create(&thread[0], NULL, signals, &one);
    pthread_create(&thread[1], NULL, worker, NULL);
    pthread_create(&thread[2], NULL, worker, NULL);
    stop_later();
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    wait(NULL);
    pthread_mutex_lock(&mutex);
    BUG(pthread_mutex_lock(&mutex);) // WAIT
    pthread_mutex_unlock(&mutex);
    return 0;
}
