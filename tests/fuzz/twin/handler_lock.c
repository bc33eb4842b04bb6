/*
 * handler_lock.c: a signal's handler takes a lock that the thread may hold just then. With -DFIXED it does not.
 */
// EXPECT: confirmed deadlock harmful handler
// EXPECT: effect deadlock
// ABSENT: exit status
#include <pthread.h>
#include <sched.h>
#include <signal.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile sig_atomic_t seen;
static pthread_t main_thread;

static void handler(int sig)
{
    (void)sig;
#ifdef FIXED
    seen++;
#else
    pthread_mutex_lock(&m);
    seen++;
    pthread_mutex_unlock(&m);
#endif
}

static void *sender(void *arg)
{
    pthread_kill(main_thread, SIGUSR1);
    return arg;
}

int main(void)
{
    pthread_t t;
    main_thread = pthread_self();
    signal(SIGUSR1, handler);
    pthread_create(&t, NULL, sender, NULL);
    for (int i = 0; i < 5; i++) {
        pthread_mutex_lock(&m);
        sched_yield();
        pthread_mutex_unlock(&m);
    }
    pthread_join(t, NULL);
    return 0;
}
