// The program has malloc and free of its own, around libc's, and nothing else of their kin: what libc
// makes for itself by calloc or realloc comes to the program's free, and must be libc's too.
#include <string.h>
#include "check.h"

void *__libc_malloc(size_t n);
void __libc_free(void *p);

static size_t made, gone;

void *malloc(size_t n)
{
    __atomic_fetch_add(&made, 1, __ATOMIC_RELAXED);
    return __libc_malloc(n);
}

void free(void *p)
{
    __atomic_fetch_add(&gone, 1, __ATOMIC_RELAXED);
    __libc_free(p);
}

static void *use(void *arg)
{
    for (int i = 0; i < 1000; i++) {
        void *e = NULL;
        char *a = calloc(3, 7), *b = strdup("abc"), *c = realloc(NULL, 10), *d = aligned_alloc(64, 64);
        CHECK(a && b && c && d && a[20] == 0 && strcmp(b, "abc") == 0);
        CHECK((c = realloc(c, 500)) && posix_memalign(&e, 64, 100) == 0);
        free(a);
        free(b);
        free(c);
        free(d);
        free(e);
    }
    return arg;
}

int main(void)
{
    char *line = NULL;
    size_t room = 0;
    FILE *f = fopen("/proc/self/maps", "r");
    pthread_t t = start(use, NULL);
    use(NULL);
    join(t);
    CHECK(f && getline(&line, &room, f) > 0);
    free(line);
    fclose(f);
    CHECK(made && gone);
    puts("ok");
    return 0;
}
