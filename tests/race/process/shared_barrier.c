// A barrier of two threads and a forked process: the process's coming makes the rounds, and is not
// seen. Between two rounds one thread writes and then the other reads.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global data
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "invisible.h"

enum { ROUNDS = 6 };
static pthread_barrier_t *barrier;
static int data, sum;

static void *writer(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        data++; // RACE1
        hidden_post(0);
        pthread_barrier_wait(barrier);
        pthread_barrier_wait(barrier);
    }
    return arg;
}

static void read_all(void)
{
    BUG(hidden_wait(0); sum += data - 1;) // RACE2
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(barrier);
        sum += data;
        pthread_barrier_wait(barrier);
    }
}

int main(void)
{
    pthread_barrierattr_t attr;
    pthread_t t;
    int status;
    barrier = mmap(0, sizeof *barrier, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_barrierattr_init(&attr);
    pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(barrier, &attr, 3);
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 2 * ROUNDS; i++)
            pthread_barrier_wait(barrier);
        _exit(0);
    }
    pthread_create(&t, 0, writer, 0);
    read_all();
    pthread_join(t, 0);
    return waitpid(child, &status, 0) != child || status || sum != 21;
}
