// An allocator in an instrumented library, which snag's own malloc calls: what it guards by a mutex is
// seen to be guarded, and what it does not guard is a race.
// LIBRARY:
// LINK-LIBRARY
// EXPECT: data-race RACE1/write RACE1/write
// EXPECT-OBJECT: global freed
// PEER: tsan misses: its own allocator is used
#ifdef LIBRARY
#include <pthread.h>
#include <stddef.h>
#include "invisible.h"

enum { AREA = 32 << 20, HEAD = 16 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char area[AREA] __attribute__((aligned(HEAD)));
static size_t used;
int freed;

void *malloc(size_t size)
{
    pthread_mutex_lock(&mutex);
    char *p = area + used + HEAD;
    *(size_t *)(p - HEAD) = size;
    used += HEAD + ((size + HEAD - 1) & ~(size_t)(HEAD - 1));
    pthread_mutex_unlock(&mutex);
    return p <= area + AREA - size ? p : NULL;
}

void free(void *p)
{
    if (!p || *(size_t *)((char *)p - HEAD) != 1000)
        return;
    FIX(pthread_mutex_lock(&mutex));
    freed = 1; // RACE1
    FIX(pthread_mutex_unlock(&mutex));
}

void *calloc(size_t n, size_t size)
{
    return malloc(n * size); /* nothing is used again: it is all zero */
}

void *realloc(void *old, size_t size)
{
    char *p = malloc(size), *from = old;
    size_t n = from ? *(size_t *)(from - HEAD) : 0;
    for (size_t i = 0; i < n && i < size; i++)
        p[i] = from[i];
    free(old);
    return p;
}
#else
#include <stdlib.h>
#include "invisible.h"

static void use(void)
{
    for (int i = 0; i < 20; i++) {
        char *volatile p = malloc(1000);
        p[999] = 1;
        char *volatile q = calloc(3, 7);
        q = realloc(q, 200);
        free(p);
        free(q);
    }
}

int main(void)
{
    run_in_order(use, use);
    return 0;
}
#endif
