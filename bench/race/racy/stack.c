/*
 * Variables on stacks: a local of main that two threads share, and a local of a thread that it
 * lends to another one while it goes on writing.
 *
 * pairs: total-total_too lend-borrow
 */
#include "hidden.h"

struct job {
    int total;
};

struct job *job;
int *lent;

static void add(void)
{
    job->total += 1; /* [total] */
}

static void add_too(void)
{
    job->total += 2; /* [total_too] */
}

static void *owner(void *arg)
{
    int local;

    (void)arg;
    __atomic_store_n(&lent, &local, __ATOMIC_RELAXED);
    local = 7; /* [lend] */
    hidden_pass();
    hidden_wait(4);
    return NULL;
}

static void *borrower(void *arg)
{
    int *there;

    (void)arg;
    hidden_wait(3);
    there = __atomic_load_n(&lent, __ATOMIC_RELAXED);
    *there += 1; /* [borrow] */
    hidden_pass();
    return NULL;
}

int main(void)
{
    static const struct hidden_step steps[] = {{0, add}, {1, add_too}};
    struct job local = {0};
    pthread_t threads[2];

    job = &local;
    HIDDEN_RUN(steps, 2);
    pthread_create(&threads[0], NULL, owner, NULL);
    pthread_create(&threads[1], NULL, borrower, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return local.total != 3;
}
