// Signals are what they are without snag: old actions, masks in handlers, siginfo, resets, EINTR;
// and a handler that comes while the thread is inside a library call still runs, once per signal.
#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#include "check.h"

static sem_t sem;
static int handled, plain; /* plain: written by the handler's thread only */
static volatile sig_atomic_t stop;
static volatile int info_value, mask_was_right, nested, ticks;

static void count(int sig)
{
    CHECK(sig == SIGUSR1);
    handled++;
    sem_post(&sem);
}

static void *receive(void *arg)
{
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
        char *p = malloc(50);
        memset(p, 0, 50);
        free(p);
        plain++;
    }
    return arg;
}

static void signals_into_library_calls(void)
{
    struct sigaction a = {.sa_handler = count, .sa_flags = SA_RESTART}, old;
    CHECK(sigaction(SIGUSR1, &a, NULL) == 0);
    CHECK(sigaction(SIGUSR1, NULL, &old) == 0);
    CHECK(old.sa_handler == count && old.sa_flags & SA_RESTART && !(old.sa_flags & SA_SIGINFO));
    pthread_t t = start(receive, NULL);
    for (int i = 0; i < 3000; i++) {
        CHECK(pthread_kill(t, SIGUSR1) == 0);
        CHECK(sem_wait(&sem) == 0);
        CHECK(handled == i + 1);
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    join(t);
}

static void with_info(int sig, siginfo_t *info, void *context)
{
    sigset_t now;
    CHECK(context != NULL && info->si_signo == sig && info->si_code == SI_QUEUE);
    info_value = info->si_value.sival_int;
    pthread_sigmask(SIG_BLOCK, NULL, &now);
    mask_was_right = sigismember(&now, sig) == 1 && sigismember(&now, SIGUSR1) == 1 &&
                     sigismember(&now, SIGTERM) == 0;
}

static void information_and_mask(void)
{
    struct sigaction a = {.sa_sigaction = with_info, .sa_flags = SA_SIGINFO}, old;
    sigaddset(&a.sa_mask, SIGUSR1);
    CHECK(sigaction(SIGUSR2, &a, &old) == 0 && old.sa_handler == SIG_DFL);
    CHECK(sigqueue(getpid(), SIGUSR2, (union sigval){.sival_int = 17}) == 0);
    CHECK(info_value == 17 && mask_was_right);
    CHECK(sigaction(SIGUSR2, &old, &a) == 0);
    CHECK(a.sa_sigaction == with_info && a.sa_flags & SA_SIGINFO);
}

static void nest(int sig)
{
    nested++;
    if (sig == SIGUSR2)
        raise(SIGUSR1);
}

static void simple_signal(void)
{
    CHECK(signal(SIGUSR2, nest) == SIG_DFL);
    CHECK(signal(SIGUSR1, nest) == count);
    CHECK(raise(SIGUSR2) == 0);
    CHECK(nested == 2);
    CHECK(signal(SIGUSR2, SIG_IGN) == nest);
    CHECK(raise(SIGUSR2) == 0 && nested == 2);
    CHECK(signal(SIGUSR2, SIG_DFL) == SIG_IGN);
    CHECK(signal(12345, nest) == SIG_ERR && errno == EINVAL);
}

static void once_only(void)
{
    struct sigaction a = {.sa_handler = nest, .sa_flags = SA_RESETHAND}, old;
    nested = 0;
    CHECK(sigaction(SIGUSR1, &a, NULL) == 0);
    CHECK(raise(SIGUSR1) == 0 && nested == 1);
    CHECK(sigaction(SIGUSR1, NULL, &old) == 0 && old.sa_handler == SIG_DFL);
}

static void tick(int sig)
{
    (void)sig;
    ticks++;
}

static void interrupts(void)
{
    struct sigaction a = {.sa_handler = tick};
    struct itimerval soon = {.it_value.tv_usec = 20000};
    int fds[2];
    char c;
    CHECK(pipe(fds) == 0 && sigaction(SIGALRM, &a, NULL) == 0);
    CHECK(setitimer(ITIMER_REAL, &soon, NULL) == 0);
    errno = 0;
    CHECK(read(fds[0], &c, 1) == -1 && errno == EINTR && ticks == 1);
    CHECK(setitimer(ITIMER_REAL, &soon, NULL) == 0);
    errno = 0;
    CHECK(sem_wait(&sem) == -1 && errno == EINTR && ticks == 2);
}

static void waits(void)
{
    sigset_t set;
    int sig;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
    CHECK(raise(SIGUSR1) == 0);
    CHECK(sigwait(&set, &sig) == 0 && sig == SIGUSR1);
    CHECK(sigtimedwait(&set, NULL, &(struct timespec){0, 1000}) == -1 && errno == EAGAIN);
}

int main(void)
{
    sem_init(&sem, 0, 0);
    signals_into_library_calls();
    information_and_mask();
    simple_signal();
    once_only();
    interrupts();
    waits();
    puts("ok");
}
