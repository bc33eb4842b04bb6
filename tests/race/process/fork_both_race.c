// fork in a program with threads: parent and child each have a race of their own.
// EXPECT: data-race PARENT1/write PARENT2/write
// EXPECT: data-race CHILD1/write CHILD2/write
// PEER: tsan misses: it watches no child of a process with threads
#include <sys/wait.h>
#include <unistd.h>
#include "invisible.h"

int in_parent, in_child;

static void *parent_thread(void *arg)
{
    in_parent = 1; // PARENT1
    hidden_post(0);
    hidden_wait(1);
    return arg;
}

static void child_first(void)
{
    in_child = 1; // CHILD1
}

static void child_second(void)
{
    BUG(in_child = 2;) // CHILD2
}

int main(void)
{
    pthread_t t;
    int status = 1;
    pthread_create(&t, NULL, parent_thread, NULL);
    hidden_wait(0);
    pid_t child = fork();
    if (!child) {
        run_in_order(child_first, child_second);
        _exit(0);
    }
    waitpid(child, &status, 0);
    BUG(in_parent = 2;) // PARENT2
    hidden_post(1);
    pthread_join(t, NULL);
    return status;
}
