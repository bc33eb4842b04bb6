/*
 * small_test.c: blocks never overlap, keep what is written to them and are aligned, whoever frees
 * them; memory stays bounded when blocks go from thread to thread and when threads come and go; a
 * fork's child goes on; wrong frees are told.
 */
#include "core/small.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { THREADS = 4, KEPT = 700, STEPS = 60000, MAILBOXES = 256 };

struct block {
    unsigned char *p;
    size_t size;
};

static struct block *mailbox[MAILBOXES]; /* atomic: a block on its way to any thread */
static pthread_barrier_t all_at_work;    /* so that a round needs as many heaps as it has threads */

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static unsigned char mark_of(const struct block *b)
{
    return (unsigned char)(((uintptr_t)b->p >> 4) * 31 + b->size);
}

static struct block fill(unsigned char *p, size_t size)
{
    struct block b = {p, size};
    memset(p, mark_of(&b), size);
    return b;
}

static void check(const struct block *b)
{
    for (size_t i = 0; i < b->size; i++)
        if (b->p[i] != mark_of(b))
            abort();
}

static struct block take(struct sn_small **heap, size_t size)
{
    unsigned char *p = sn_small_alloc(heap, size);
    if (!p || (uintptr_t)p % SN_SMALL_GRAIN || !sn_is_small(p) || sn_small_size(p) < size ||
        sn_small_size(p) > size + size / 4 + SN_SMALL_GRAIN)
        abort();
    return fill(p, size);
}

static void give(struct sn_small *heap, struct block *b)
{
    check(b);
    if (sn_small_free(heap, b->p) != SN_SMALL_DONE)
        abort();
    b->p = 0;
}

/* Puts a block where any thread finds it, and frees the one that was there. */
static void send_away(struct sn_small *heap, struct block *b, uint64_t random)
{
    struct block *parcel = malloc(sizeof *parcel);
    *parcel = *b;
    b->p = 0;
    parcel = __atomic_exchange_n(&mailbox[random % MAILBOXES], parcel, __ATOMIC_ACQ_REL);
    if (parcel)
        give(heap, parcel);
    free(parcel);
}

static void one_step(struct sn_small **heap, struct block *kept, uint64_t *seed)
{
    uint64_t random = next_random(seed);
    struct block *b = &kept[random % KEPT];
    size_t most = random >> 20 & 1 ? 64 : SN_SMALL_MOST;
    if (!b->p)
        *b = take(heap, (random >> 24) % (most + 1));
    else if (random >> 21 & 3)
        give(*heap, b);
    else
        send_away(*heap, b, random >> 32);
}

static void *worker(void *arg)
{
    struct sn_small *heap = 0;
    struct block kept[KEPT] = {{0}};
    uint64_t seed = (uintptr_t)arg * 0x9e3779b97f4a7c15ull + 1;
    for (int i = 0; i < STEPS; i++)
        one_step(&heap, kept, &seed);
    pthread_barrier_wait(&all_at_work);
    for (int i = 0; i < KEPT; i++) /* some blocks outlive the thread */
        if (kept[i].p)
            send_away(heap, &kept[i], next_random(&seed));
    if (heap)
        sn_small_end(heap);
    return 0;
}

static void empty_mailboxes(void)
{
    for (int i = 0; i < MAILBOXES; i++) {
        struct block *parcel = mailbox[i];
        mailbox[i] = 0;
        if (parcel)
            give(0, parcel);
        free(parcel);
    }
}

static size_t in_use(void)
{
    size_t used, all;
    sn_small_count(&used, &all);
    return used;
}

static size_t extent(void)
{
    size_t used, all;
    sn_small_count(&used, &all);
    return all;
}

static void run_workers(int rounds)
{
    pthread_t threads[THREADS];
    for (int r = 0; r < rounds; r++) {
        for (uintptr_t i = 0; i < THREADS; i++)
            assert_int_equal(pthread_create(&threads[i], 0, worker, (void *)(i + 8 * (uintptr_t)r)),
                             0);
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], 0);
    }
}

static void blocks_are_apart(void **state)
{
    (void)state;
    pthread_barrier_init(&all_at_work, 0, THREADS);
    run_workers(1);
    size_t after_one = extent();
    run_workers(6);
    assert_true(extent() <= after_one + after_one / 4);
    empty_mailboxes();
    assert_int_equal(in_use(), 0);
}

static void every_size(void **state)
{
    struct sn_small *heap = 0;
    struct block all[SN_SMALL_MOST + 1];
    (void)state;
    for (size_t size = 0; size <= SN_SMALL_MOST; size++)
        all[size] = take(&heap, size);
    volatile size_t more = SN_SMALL_MOST + 1;
    assert_null(sn_small_alloc(&heap, more));
    for (size_t size = 0; size <= SN_SMALL_MOST; size++)
        give(heap, &all[size]);
    for (size_t size = 1; size <= 512; size++) /* no more than the alignment asks for */
        assert_int_equal(sn_small_size(sn_small_alloc(&heap, size)), (size + 15) / 16 * 16);
    sn_small_end(heap);
}

static void dense(void **state)
{
    enum { N = 20000 };
    struct sn_small *heap = 0;
    static char *all[N];
    (void)state;
    size_t before = extent();
    for (int i = 0; i < N; i++)
        all[i] = sn_small_alloc(&heap, 32);
    assert_true(extent() - before <= N * 32 + N * 32 / 20 + SN_SMALL_PAGE);
    for (int i = 0; i < N; i++)
        assert_int_equal(sn_small_free(heap, all[i]), SN_SMALL_DONE);
    sn_small_end(heap);
}

static void wrong_frees(void **state)
{
    struct sn_small *heap = 0, *other = 0;
    (void)state;
    char *p = sn_small_alloc(&heap, 48), *q = sn_small_alloc(&heap, 48);
    assert_int_equal(sn_small_free(heap, p + 16), SN_SMALL_NO_BLOCK);
    assert_int_equal(sn_small_free(heap, p + 1), SN_SMALL_NO_BLOCK);
    assert_int_equal(sn_small_free(0, p + 16), SN_SMALL_NO_BLOCK);
    char *end =
        (char *)(((uintptr_t)p & ~(uintptr_t)(SN_SMALL_PAGE - 1)) + SN_SMALL_PAGE / 48 * 48);
    assert_int_equal(sn_small_free(heap, end), SN_SMALL_NO_BLOCK);
    assert_int_equal(sn_small_free(heap, p), SN_SMALL_DONE);
    assert_int_equal(sn_small_free(heap, p), SN_SMALL_TWICE);
    assert_int_equal(sn_small_free(0, p), SN_SMALL_TWICE);
    assert_non_null(sn_small_alloc(&other, 48));
    assert_int_equal(sn_small_free(other, q), SN_SMALL_DONE);
    assert_int_equal(sn_small_free(other, q), SN_SMALL_TWICE);
    sn_small_end(heap);
    assert_int_equal(sn_small_free(other, q), SN_SMALL_TWICE);
    sn_small_end(other);
}

/* What one thread allocates another frees, for ever. */
static void one_way(void **state)
{
    enum { ROUNDS = 300, BATCH = 5000 };
    struct sn_small *maker = 0, *user = 0;
    static char *batch[BATCH];
    size_t early = 0;
    (void)state;
    assert_non_null(sn_small_alloc(&user, 1));
    for (int r = 0; r < ROUNDS; r++) {
        for (int i = 0; i < BATCH; i++)
            batch[i] = sn_small_alloc(&maker, (size_t)(r % 7) * 16 + 16);
        for (int i = 0; i < BATCH; i++)
            assert_int_equal(sn_small_free(user, batch[i]), SN_SMALL_DONE);
        if (r == 20)
            early = extent();
    }
    assert_true(extent() <= early + 8 * SN_SMALL_PAGE);
    sn_small_end(maker);
    sn_small_end(user);
}

/* Threads that leave blocks behind, which are freed when their heap is gone. */
static void short_threads(void **state)
{
    enum { ROUNDS = 3000, BLOCKS = 40 };
    static char *left[ROUNDS][BLOCKS];
    size_t early = 0;
    (void)state;
    for (int r = 0; r < ROUNDS; r++) {
        struct sn_small *heap = 0;
        for (int i = 0; i < BLOCKS; i++)
            left[r][i] = sn_small_alloc(&heap, (size_t)i * 24);
        sn_small_end(heap);
        for (int i = 0; r >= 20 && i < BLOCKS; i++)
            assert_int_equal(sn_small_free(0, left[r - 20][i]), SN_SMALL_DONE);
        if (r == 200)
            early = extent();
    }
    assert_true(extent() <= early + 36 * SN_SMALL_PAGE);
    for (int r = ROUNDS - 20; r < ROUNDS; r++)
        for (int i = 0; i < BLOCKS; i++)
            sn_small_free(0, left[r][i]);
}

static int in_child(struct sn_small *self, struct block *mine, struct block *theirs)
{
    sn_small_forked(self);
    for (int i = 0; i < KEPT; i++) {
        give(self, &mine[i]);
        give(self, &theirs[i]);
    }
    struct block again[KEPT];
    for (int i = 0; i < KEPT; i++)
        again[i] = take(&self, 100);
    for (int i = 0; i < KEPT; i++)
        give(self, &again[i]);
    return 0;
}

static void forks(void **state)
{
    struct sn_small *self = 0, *other = 0;
    struct block mine[KEPT], theirs[KEPT];
    int status;
    (void)state;
    for (int i = 0; i < KEPT; i++) {
        mine[i] = take(&self, 100);
        theirs[i] = take(&other, 100);
    }
    pid_t pid = fork();
    if (pid == 0)
        _exit(in_child(self, mine, theirs));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    for (int i = 0; i < KEPT; i++) {
        give(other, &mine[i]);
        give(self, &theirs[i]);
    }
    sn_small_end(self);
    sn_small_end(other);
}

static void trimmed_pages_are_zero(void **state)
{
    enum { N = 2000 };
    struct sn_small *heap = 0;
    struct block all[N];
    (void)state;
    for (int i = 0; i < N; i++)
        all[i] = take(&heap, 256);
    for (int i = 0; i < N; i++)
        give(heap, &all[i]);
    sn_small_end(heap);
    heap = 0;
    sn_small_trim();
    for (int i = 0; i < N; i++) {
        all[i].p = sn_small_alloc(&heap, 256);
        assert_int_equal(all[i].p[255], 0);
        all[i] = fill(all[i].p, 256);
    }
    for (int i = 0; i < N; i++)
        give(heap, &all[i]);
    sn_small_end(heap);
}

static int reserve_space(void **state)
{
    (void)state;
    return sn_small_init() ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trimmed_pages_are_zero),
        cmocka_unit_test(blocks_are_apart),
        cmocka_unit_test(dense),
        cmocka_unit_test(wrong_frees),
        cmocka_unit_test(one_way),
        cmocka_unit_test(short_threads),
        cmocka_unit_test(forks),
        cmocka_unit_test(every_size),
    };
    return cmocka_run_group_tests(tests, reserve_space, 0);
}
