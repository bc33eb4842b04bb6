// Small blocks, whoever frees or resizes them: in another thread, at a thread's end, inside libc,
// across the border to large ones and back. What is written stays, and memory does not grow.
#include <malloc.h>
#include <stdint.h>
#include <string.h>
#include "check.h"

enum { MOST = 1500, ROUNDS = 200, BATCH = 2000 };

static pthread_key_t key;
static char *batch[BATCH];

static void fill(char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        p[i] = (char)(n + i);
}

static void check(const char *p, size_t n, size_t filled)
{
    for (size_t i = 0; i < n; i++)
        CHECK(p[i] == (char)(filled + i));
}

static void sizes(void)
{
    char *p[MOST + 1];
    for (size_t n = 0; n <= MOST; n++) {
        CHECK((p[n] = malloc(n)) && (uintptr_t)p[n] % 16 == 0 && malloc_usable_size(p[n]) >= n);
        fill(p[n], n);
    }
    for (size_t n = 0; n <= MOST; n++) {
        check(p[n], n, n);
        free(p[n]);
    }
    for (size_t n = 1; n <= MOST; n++) {
        CHECK((p[n] = calloc(1, n)) && p[n][0] == 0 && !memcmp(p[n], p[n] + 1, n - 1));
        free(p[n]);
    }
    char *a = malloc(0), *b = malloc(0);
    CHECK(a && b && a != b);
    free(a);
    free(b);
}

static void resized(void)
{
    char *p = NULL;
    for (size_t n = 1; n < 4000; n += 37) {
        CHECK((p = realloc(p, n)));
        if (n > 37)
            check(p, n - 37, n - 37);
        fill(p, n);
    }
    for (size_t n = 3900; n > 40; n -= 39) {
        size_t had = n + 39;
        fill(p, had);
        CHECK((p = realloc(p, n)));
        check(p, n, had);
    }
    CHECK((p = reallocarray(p, 10, 10)));
    CHECK(!realloc(p, 0));
}

static void inside_libc(void)
{
    char *line = strdup("short"), *text;
    size_t room = 6;
    FILE *f = tmpfile();
    CHECK(f && line);
    for (int i = 0; i < 3000; i++)
        fputc('x', f);
    fputc('\n', f);
    rewind(f);
    CHECK(getline(&line, &room, f) == 3001 && line[2999] == 'x' && room >= 3002);
    CHECK(asprintf(&text, "%s%d", "a", 1) == 2 && strcmp(text, "a1") == 0);
    free(text);
    free(line);
    fclose(f);
}

static void at_end(void *p)
{
    check(p, 100, 100);
    free(p);
}

static void *ends(void *arg)
{
    char *p = malloc(100);
    fill(p, 100);
    CHECK(pthread_setspecific(key, p) == 0);
    p = malloc(60); /* outlives its thread */
    fill(p, 60);
    return arg ? arg : p;
}

static void *free_batch(void *arg)
{
    for (int i = 0; i < BATCH; i++) {
        check(batch[i], 40, 40);
        free(batch[i]);
    }
    return arg;
}

static size_t heap_bytes(void)
{
    struct mallinfo2 m = mallinfo2();
    return m.arena + m.hblkhd;
}

static void other_threads(void)
{
    size_t early = 0;
    for (int r = 0; r < ROUNDS; r++) {
        for (int i = 0; i < BATCH; i++)
            fill(batch[i] = malloc(40), 40);
        join(start(free_batch, NULL));
        char *left = join(start(ends, NULL));
        check(left, 60, 60);
        free(left);
        if (r == 20)
            early = heap_bytes();
    }
    CHECK(heap_bytes() <= early + 400000);
}

static void counted(void)
{
    struct mallinfo2 before = mallinfo2();
    for (int i = 0; i < BATCH; i++)
        batch[i] = malloc(500);
    struct mallinfo2 after = mallinfo2();
    CHECK(after.uordblks - before.uordblks >= BATCH * 500);
    CHECK(after.uordblks - before.uordblks <= BATCH * 600);
    for (int i = 0; i < BATCH; i++)
        free(batch[i]);
    malloc_trim(0);
    CHECK(mallinfo2().uordblks <= before.uordblks + 10000);
}

int main(void)
{
    CHECK(pthread_key_create(&key, at_end) == 0);
    sizes();
    resized();
    inside_libc();
    other_threads();
    counted();
    puts("ok");
    return 0;
}
