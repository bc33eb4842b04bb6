// The program stands before malloc and its kin, with libc's own functions behind, and has forgotten
// some: all blocks must be libc's.
#include <string.h>
#include "check.h"

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void __libc_free(void *p);

static size_t made, gone;

void *malloc(size_t n)
{
    __atomic_fetch_add(&made, 1, __ATOMIC_RELAXED);
    return __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
    __atomic_fetch_add(&made, 1, __ATOMIC_RELAXED);
    return __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
    return __libc_realloc(p, n);
}

void free(void *p)
{
    __atomic_fetch_add(&gone, 1, __ATOMIC_RELAXED);
    __libc_free(p);
}

static void *use(void *arg)
{
    for (int i = 0; i < 1000; i++) {
        char *a = calloc(3, 7), *b = strdup("abc"), *c = reallocarray(NULL, 5, 10);
        CHECK(a && b && c && a[20] == 0 && strcmp(b, "abc") == 0);
        c = reallocarray(c, 50, 10);
        free(a);
        free(b);
        free(c);
    }
    return arg;
}

int main(void)
{
    pthread_t t = start(use, NULL);
    use(NULL);
    join(t);
    CHECK(made && gone);
    puts("ok");
    return 0;
}
