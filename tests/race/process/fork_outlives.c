// A child of fork has a copy of what the parent's threads wrote, and none of these threads: what its
// only thread does comes after all that. Threads that it makes itself race as ever.
// EXPECT: data-race CHILD1/write CHILD2/write
// EXPECT-OBJECT: global written_by_both
// PEER: tsan misses: it watches no child of a process with threads
#include <sys/wait.h>
#include <unistd.h>
#include "invisible.h"

int written_by_one, written_by_both, ended_before;

static void *still_there(void *arg)
{
    written_by_one = 1;
    written_by_both = 1;
    hidden_post(0);
    hidden_wait(1);
    return arg;
}

static void *detached(void *arg)
{
    ended_before = 1;
    hidden_post(0);
    return arg;
}

static void child_first(void)
{
    written_by_both = 2; // CHILD1
}

static void child_second(void)
{
    BUG(written_by_both = 3;) // CHILD2
}

static void child(void)
{
    written_by_one = 2;
    written_by_both = 4;
    ended_before = 2;
    run_in_order(child_first, child_second);
    _exit(0);
}

int main(void)
{
    pthread_t t, other;
    int status = 1;
    pthread_create(&t, NULL, still_there, NULL);
    pthread_create(&other, NULL, detached, NULL);
    pthread_detach(other);
    hidden_wait_times(0, 2);
    pid_t pid = fork();
    if (!pid)
        child();
    waitpid(pid, &status, 0);
    hidden_post(1);
    pthread_join(t, NULL);
    return status;
}
