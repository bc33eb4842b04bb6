// The allocator's functions do what libc's do, from several threads, in constructors and at exit.
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "check.h"

static char *early;

__attribute__((constructor)) static void before_main(void)
{
    early = strdup("early");
}

static void at_exit(void)
{
    free(early);
    free(malloc(10));
}

static void aligned(void)
{
    void *p;
    for (size_t a = 16; a <= 65536; a *= 2) {
        CHECK(posix_memalign(&p, a, 100) == 0 && (uintptr_t)p % a == 0);
        free(p);
        CHECK((p = aligned_alloc(a, a)) && (uintptr_t)p % a == 0);
        free(p);
        CHECK((p = memalign(a, 10)) && (uintptr_t)p % a == 0 && malloc_usable_size(p) >= 10);
        free(p);
    }
    CHECK(posix_memalign(&p, 3, 100) == EINVAL);
    CHECK((p = valloc(1)) && (uintptr_t)p % 4096 == 0);
    free(p);
    CHECK((p = pvalloc(1)) && malloc_usable_size(p) >= 4096);
    free(p);
}

static void *grow(void *arg)
{
    char *p = NULL;
    size_t had = 0;
    for (size_t n = 1; n < 300000; n = n * 3 / 2 + 1) {
        char *q = realloc(p, n);
        CHECK(q);
        for (size_t i = 0; i < had; i++)
            CHECK(q[i] == (char)i);
        for (size_t i = had; i < n; i++)
            q[i] = (char)i;
        had = n;
        p = q;
    }
    p = reallocarray(p, 10, 10);
    CHECK(p && p[99] == 99);
    errno = 0;
    CHECK(reallocarray(p, SIZE_MAX, 2) == NULL && errno == ENOMEM && p[5] == 5);
    errno = 0;
    CHECK(realloc(p, SIZE_MAX / 2) == NULL && errno == ENOMEM && p[5] == 5);
    free(p);
    free(NULL);
    return arg;
}

static void zeroed(void)
{
    for (int i = 0; i < 1000; i++) {
        size_t n = (size_t)(i * 37 % 3000 + 1);
        char *p = malloc(n), *q;
        memset(p, 0xff, n);
        free(p);
        q = calloc(n, 1);
        for (size_t j = 0; j < n; j++)
            CHECK(q[j] == 0);
        free(q);
    }
}

static void pages(void)
{
    enum { PAGE = 4096 };
    char *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(p != MAP_FAILED);
    strcpy(p, "page");
    p = mremap(p, PAGE, 64 * PAGE, MREMAP_MAYMOVE);
    CHECK(p != MAP_FAILED && strcmp(p, "page") == 0);
    CHECK(munmap(p, 64 * PAGE) == 0);
}

/* Freed by another thread than the one that allocated it. */
static void *free_it(void *p)
{
    free(p);
    return NULL;
}

int main(void)
{
    pthread_t t[4];
    CHECK(strcmp(early, "early") == 0);
    atexit(at_exit);
    aligned();
    zeroed();
    pages();
    for (int i = 0; i < 4; i++)
        t[i] = start(grow, NULL);
    for (int i = 0; i < 4; i++)
        join(t[i]);
    for (int i = 0; i < 100; i++)
        join(start(free_it, malloc((size_t)i * 100)));
    puts("ok");
    fflush(stdout);
}
