/* store_test.c: what is stored comes back, from many writers at once, too. */
#include "store/store.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "store/finding_sample.h"
#include "store/store_sample.h"

static void test_finding_comes_back_whole(void **state)
{
    (void)state;
    char *dir = fresh_dir();
    struct sn_store *s = open_store(dir, SN_STORE_WRITE);
    struct sn_findings fs = {0};
    struct sn_finding back;
    int64_t run;
    sample_race(&fs);
    assert_int_equal(sn_store_run_begin(s, "[]", "race", &run), 0);
    assert_int_equal(run, 1);
    assert_int_equal(sn_store_add(s, run, &fs), 0);
    assert_int_equal(fs.f[0].id, 1);
    assert_int_equal(fs.f[0].hits, 1);
    assert_int_equal(fs.f[0].first_run, 1);
    assert_int_equal(sn_store_get(s, 1, &back), 0);
    json_t *a = sn_finding_to_json(&fs.f[0]), *b = sn_finding_to_json(&back);
    assert_true(json_equal(a, b));
    assert_int_equal(sn_store_get(s, 2, &(struct sn_finding){0}), -ENOENT);
    assert_non_null(strstr(sn_store_error(s), "snag list"));
    json_decref(a);
    json_decref(b);
    sn_findings_free(&fs);
    sn_finding_clear(&back);
    sn_store_close(s);
    free(dir);
}

static void test_runs_add_up(void **state)
{
    (void)state;
    char *dir = fresh_dir();
    struct sn_store *s = open_store(dir, SN_STORE_WRITE);
    struct sn_findings all;
    int64_t runs;
    add_numbered(s, 1, 1);
    add_numbered(s, 1, 2);
    assert_int_equal(sn_store_all(s, &all), 0);
    assert_int_equal(all.n, 2);
    assert_int_equal(all.f[0].hits, 2);
    assert_int_equal(all.f[0].first_run, 1);
    assert_int_equal(all.f[1].hits, 1);
    assert_int_equal(all.f[1].first_run, 2);
    assert_int_equal(all.f[1].id, 2);
    assert_int_equal(sn_store_runs(s, &runs), 0);
    assert_int_equal(runs, 2);
    sn_findings_free(&all);
    sn_store_close(s);
    free(dir);
}

static void test_status_only_grows(void **state)
{
    (void)state;
    char *dir = fresh_dir();
    struct sn_store *s = open_store(dir, SN_STORE_WRITE);
    struct sn_finding f;
    add_numbered(s, 1, 1);
    assert_int_equal(sn_store_set_status(s, 1, SN_CONFIRMED, 1, "crash"), 0);
    assert_int_equal(sn_store_set_status(s, 1, SN_CANDIDATE, -1, NULL), 0);
    assert_int_equal(sn_store_set_status(s, 9, SN_CONFIRMED, -1, NULL), -ENOENT);
    add_numbered(s, 1, 1);
    assert_int_equal(sn_store_get(s, 1, &f), 0);
    assert_int_equal(f.status, SN_CONFIRMED);
    assert_int_equal(f.harmful, 1);
    assert_string_equal(f.effect, "crash");
    sn_finding_clear(&f);
    sn_store_close(s);
    free(dir);
}

static void test_no_such_run(void **state)
{
    (void)state;
    char *dir = fresh_dir();
    struct sn_store *s = open_store(dir, SN_STORE_WRITE);
    struct sn_findings fs = {0}, all;
    sample_race(&fs);
    assert_int_equal(sn_store_add(s, 5, &fs), -ENOENT);
    assert_int_equal(sn_store_run_end(s, 5, 0, 0), -ENOENT);
    assert_int_equal(fs.f[0].id, 0);
    assert_int_equal(sn_store_all(s, &all), 0);
    assert_int_equal(all.n, 0);
    sn_findings_free(&fs);
    sn_store_close(s);
    free(dir);
}

static int count_blob(void *arg, const char *key, const void *data, size_t bytes)
{
    (void)key, (void)data, (void)bytes;
    ++*(int *)arg;
    return 0;
}

static void test_blobs(void **state)
{
    (void)state;
    char *dir = fresh_dir();
    struct sn_store *s = open_store(dir, SN_STORE_WRITE);
    void *data;
    size_t bytes;
    int n = 0;
    assert_int_equal(sn_store_get_blob(s, "schedule", "k", &data, &bytes), -ENOENT);
    assert_int_equal(sn_store_put_blob(s, "schedule", "k", "one", 3), 0);
    assert_int_equal(sn_store_put_blob(s, "schedule", "k", "tw\0", 3), 0);
    assert_int_equal(sn_store_put_blob(s, "schedule", "empty", NULL, 0), 0);
    assert_int_equal(sn_store_put_blob(s, "trap", "k", "x", 1), 0);
    assert_int_equal(sn_store_get_blob(s, "schedule", "k", &data, &bytes), 0);
    assert_int_equal(bytes, 3);
    assert_memory_equal(data, "tw\0", 3);
    free(data);
    assert_int_equal(sn_store_get_blob(s, "schedule", "empty", &data, &bytes), 0);
    assert_int_equal(bytes, 0);
    free(data);
    assert_int_equal(sn_store_each_blob(s, "schedule", count_blob, &n), 0);
    assert_int_equal(n, 2);
    sn_store_close(s);
    free(dir);
}

/* ---- many writers ---- */

#define WRITERS 20
#define SHARED 40 /* findings that every writer has */
#define OWN 60    /* findings that only one writer has */

static void write_as(const char *dir, int writer)
{
    struct sn_store *s;
    char *why;
    if (sn_store_open(dir, SN_STORE_WRITE, &s, &why)) {
        dprintf(2, "writer %d: %s\n", writer, why);
        _exit(1);
    }
    int64_t run;
    if (sn_store_run_begin(s, "[]", "race", &run))
        _exit(2);
    for (int part = 0; part < 10; part++) {
        struct sn_findings fs = {0};
        for (int i = part; i < SHARED; i += 10)
            sample_numbered(&fs, i);
        for (int i = part; i < OWN; i += 10)
            sample_numbered(&fs, 1000 + writer * OWN + i);
        if (sn_store_add(s, run, &fs))
            _exit(3);
        sn_findings_free(&fs);
    }
    if (sn_store_run_end(s, run, 0, 1))
        _exit(4);
    sn_store_close(s);
    _exit(0);
}

static void check_all_written(const char *dir)
{
    struct sn_store *s = open_store(dir, SN_STORE_READ);
    struct sn_findings all;
    int64_t runs, shared = 0;
    assert_int_equal(sn_store_runs(s, &runs), 0);
    assert_int_equal(runs, WRITERS);
    assert_int_equal(sn_store_all(s, &all), 0);
    assert_int_equal(all.n, SHARED + WRITERS * OWN);
    for (size_t i = 0; i < all.n; i++) {
        assert_int_equal(all.f[i].id, (int64_t)i + 1);
        assert_true(all.f[i].hits == 1 || all.f[i].hits == WRITERS);
        shared += all.f[i].hits == WRITERS;
    }
    assert_int_equal(shared, SHARED);
    sn_findings_free(&all);
    sn_store_close(s);
}

static void test_many_processes_write_at_once(void **state)
{
    (void)state;
    char *dir = fresh_dir();
    pid_t child[WRITERS];
    for (int i = 0; i < WRITERS; i++) {
        child[i] = fork();
        if (child[i] == 0)
            write_as(dir, i);
        assert_true(child[i] > 0);
    }
    for (int i = 0; i < WRITERS; i++) {
        int status;
        assert_int_equal(waitpid(child[i], &status, 0), child[i]);
        assert_int_equal(status, 0);
    }
    check_all_written(dir);
    free(dir);
}

/* A writer that is killed leaves whole transactions, and nobody waits for it. */
static void test_killed_writer_leaves_a_good_store(void **state)
{
    (void)state;
    char *dir = fresh_dir();
    struct sn_store *s = open_store(dir, SN_STORE_WRITE);
    add_numbered(s, 1, 3);
    for (int round = 0; round < 20; round++) {
        int ready[2];
        assert_int_equal(pipe(ready), 0);
        pid_t child = fork();
        if (child == 0) {
            struct sn_store *mine;
            char *why;
            if (sn_store_open(dir, SN_STORE_WRITE, &mine, &why) || write(ready[1], "x", 1) != 1)
                _exit(1);
            for (int i = 0;; i++)
                add_numbered(mine, 100 + i * 7, 7);
        }
        char byte;
        assert_int_equal(read(ready[0], &byte, 1), 1);
        for (int spin = 0; spin < round * 20; spin++)
            sched_yield();
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        close(ready[0]);
        close(ready[1]);
    }
    add_numbered(s, 1, 3);
    struct sn_findings all;
    assert_int_equal(sn_store_all(s, &all), 0);
    assert_int_equal(all.n % 7, 3);
    assert_int_equal(all.f[0].hits, 2);
    sn_findings_free(&all);
    sn_store_close(s);
    free(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finding_comes_back_whole),
        cmocka_unit_test(test_runs_add_up),
        cmocka_unit_test(test_status_only_grows),
        cmocka_unit_test(test_no_such_run),
        cmocka_unit_test(test_blobs),
        cmocka_unit_test(test_many_processes_write_at_once),
        cmocka_unit_test(test_killed_writer_leaves_a_good_store),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
