/* ops.c FILE OPERATIONS…: a thread for each argument, a string of operations: wN and rN write and read the
 * atomic variable N, lN and uN take and give lock N. The order in which they happened becomes a line of
 * FILE: thread numbers. tests/fuzz/exact compares the lines of a systematic search with all orders. */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 8 };
static atomic_int variable[10];
static pthread_mutex_t lock[10];
static char order[256];
static int steps;

/* Nobody is meant to see this. */
__attribute__((no_sanitize("thread"), noinline)) static void note(char thread)
{
    order[steps++] = thread;
}

static void *run(void *arg)
{
    const char *const *spec = arg;
    for (const char *p = spec[0]; *p; p += 2) {
        int n = p[1] - '0';
        if (p[0] == 'w')
            atomic_fetch_add(&variable[n], 1);
        else if (p[0] == 'r')
            (void)atomic_load(&variable[n]);
        else if (p[0] == 'l')
            pthread_mutex_lock(&lock[n]);
        else
            pthread_mutex_unlock(&lock[n]);
        note(spec[1][0]);
    }
    return 0;
}

int main(int argc, char **argv)
{
    static const char *const names[MOST] = {"0", "1", "2", "3", "4", "5", "6", "7"};
    static const char *spec[MOST][2];
    pthread_t t[MOST];
    int n = argc - 2;
    for (int i = 0; i < 10; i++)
        pthread_mutex_init(&lock[i], NULL);
    for (int i = 0; i < n; i++) {
        spec[i][0] = argv[i + 2];
        spec[i][1] = names[i];
        pthread_create(&t[i], NULL, run, spec[i]);
    }
    for (int i = 0; i < n; i++)
        pthread_join(t[i], NULL);
    note('\n');
    int fd = open(argv[1], O_WRONLY | O_CREAT | O_APPEND, 0644);
    return write(fd, order, (size_t)steps) == steps ? 0 : 1;
}
