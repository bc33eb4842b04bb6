// pthread_create() allocates, here by a function of the program's own: what that does comes before
// the new thread, and what its creator does next to it does not.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global made
// EXPECT-STDOUT: 1
#include <stdio.h>
#include <string.h>
#include "invisible.h"

void *__libc_calloc(size_t n, size_t size);

int made;
static int is_creating;

void *calloc(size_t n, size_t size)
{
    if (is_creating)
        made = 1;
    return __libc_calloc(n, size);
}

static void *worker(void *arg)
{
    BUG(hidden_wait(0));
    printf("%d\n", made); // RACE2
    return arg;
}

int main(void)
{
    pthread_t t;
    is_creating = 1;
    pthread_create(&t, NULL, worker, NULL);
    is_creating = 0;
    BUG(made = 1); // RACE1
    BUG(hidden_post(0));
    pthread_join(t, NULL);
    return 0;
}
