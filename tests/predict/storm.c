/* storm.c: many threads that race, on purpose and with all kinds of accesses: the recorder has to
 * find an order in which every value is right. `storm end HOW`: and then ends in some way. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 8, ROUNDS = 400 };

static int racy[16];
static char text[64], copy[64];
static long wide[2];
static atomic_int ticket;
static _Atomic char small;
static int guarded;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *storm(void *p)
{
    long me = (long)p;
    for (int i = 0; i < ROUNDS; i++) {
        racy[(i + me) % 16] += racy[i % 16] + (int)me;
        wide[i & 1] = wide[!(i & 1)] + me;
        text[(i * 7 + me) % 63] = (char)(' ' + i % 64);
        if (i % 50 == 0)
            memcpy(copy, text, sizeof copy);
        if (i % 10 == 0) {
            pthread_mutex_lock(&lock);
            guarded++;
            pthread_mutex_unlock(&lock);
        }
        atomic_fetch_add(&ticket, 1);
        char expected = (char)i;
        atomic_compare_exchange_strong(&small, &expected, (char)(i + 1));
    }
    return p;
}

static void run(void)
{
    pthread_t thread[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, storm, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
}

int main(int argc, char **argv)
{
    const char *end = argc > 1 ? argv[1] : "";
    run();
    if (strcmp(end, "kill") == 0)
        kill(getpid(), SIGKILL);
    if (strcmp(end, "abort") == 0)
        abort();
    if (strcmp(end, "_exit") == 0)
        _exit(3);
    if (strcmp(end, "crash") == 0)
        *(volatile int *)argv[2] = 1;
    if (strcmp(end, "exec") == 0)
        execl(argv[0], argv[0], NULL);
    if (strcmp(end, "fork") == 0) {
        pid_t child = fork();
        run();
        if (child)
            waitpid(child, NULL, 0);
    }
    return guarded == 0;
}
