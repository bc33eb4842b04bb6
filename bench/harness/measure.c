/*
 * Runs one command and writes what it took: seconds, peak memory, status. A program of its own, and
 * a small one, because the peak memory of a child counts from the memory of whoever forked it.
 *
 * usage: measure RESULT SECONDS-AT-MOST COMMAND [ARGS…]
 * RESULT gets one line: wall seconds, user seconds, system seconds, peak KiB (the largest process
 * of the tree), wait status. The command and all of its process group are killed after the limit;
 * the status is then SIGKILL's.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pid_t child;

static void too_late(int signal)
{
    (void)signal;
    kill(-child, SIGKILL);
}

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static int write_result(const char *path, double wall, const struct rusage *usage, int status)
{
    FILE *file = fopen(path, "w");

    if (!file)
        return -errno;
    fprintf(file, "%.6f %.6f %.6f %ld %d\n", wall, seconds(usage->ru_utime),
            seconds(usage->ru_stime), usage->ru_maxrss, status);
    return fclose(file) ? -errno : 0;
}

int main(int argc, char **argv)
{
    struct rusage usage;
    double start;
    int status;

    if (argc < 4) {
        fprintf(stderr, "usage: measure RESULT SECONDS-AT-MOST COMMAND [ARGS…]\n");
        return 125;
    }
    start = now();
    child = fork();
    if (child < 0) {
        perror("measure: fork");
        return 125;
    }
    if (child == 0) {
        setpgid(0, 0);
        execvp(argv[3], argv + 3);
        perror(argv[3]);
        _exit(127);
    }
    setpgid(child, child);
    signal(SIGALRM, too_late);
    alarm((unsigned)atoi(argv[2]));
    while (wait4(child, &status, 0, &usage) < 0)
        if (errno != EINTR)
            return 125;
    if (write_result(argv[1], now() - start, &usage, status)) {
        perror(argv[1]);
        return 125;
    }
    return 0;
}
