/* store_test.c: what is stored comes back, from many writers, after damage, and merged in any
 * order. */
#include "store/store.h"

#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "store/finding_sample.h"

static char root[64];
static int serial;

/* A fresh path for a store below the test's folder. malloc. */
static char *fresh_dir(void)
{
    return sn_xformat("%s/%d", root, serial++);
}

static struct sn_store *open_store(const char *dir, enum sn_store_mode mode)
{
    struct sn_store *s = NULL;
    char *why = NULL;
    int err = sn_store_open(dir, mode, &s, &why);
    if (err)
        fprintf(stderr, "%s\n", why);
    assert_int_equal(err, 0);
    return s;
}

/* Adds findings first … first + n - 1 in a run of their own. */
static void add_numbered(struct sn_store *s, int first, int n)
{
    int64_t run = 0;
    struct sn_findings fs = {0};
    assert_int_equal(sn_store_run_begin(s, "[\"snag\",\"race\"]", "race", &run), 0);
    assert_true(run > 0);
    for (int i = 0; i < n; i++)
        sample_numbered(&fs, first + i);
    assert_int_equal(sn_store_add(s, run, &fs), 0);
    assert_int_equal(sn_store_run_end(s, run, 0, 0.5), 0);
    sn_findings_free(&fs);
}

static char *list_json(const char *dir)
{
    struct sn_store *s = open_store(dir, SN_STORE_READ);
    struct sn_findings all;
    assert_int_equal(sn_store_all(s, &all), 0);
    json_t *list = json_array();
    for (size_t i = 0; i < all.n; i++)
        json_array_append_new(list, sn_finding_to_json(&all.f[i]));
    char *text = json_dumps(list, JSON_INDENT(1));
    json_decref(list);
    sn_findings_free(&all);
    sn_store_close(s);
    return text;
}

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
    if (sn_store_open(dir, SN_STORE_WRITE, &s, &why))
        _exit(1);
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

/* ---- stores that cannot be used ---- */

static void run_sql(const char *dir, const char *sql)
{
    char *path = sn_xformat("%s/snag.db", dir);
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    free(path);
}

static void make_store(const char *dir, int findings)
{
    struct sn_store *s = open_store(dir, SN_STORE_WRITE);
    add_numbered(s, 1, findings);
    sn_store_close(s);
}

static void expect_refused(const char *dir, enum sn_store_mode mode, int err, const char *words)
{
    struct sn_store *s = NULL;
    char *why = NULL;
    assert_int_equal(sn_store_open(dir, mode, &s, &why), err);
    assert_null(s);
    assert_non_null(why);
    if (!strstr(why, words))
        fail_msg("'%s' does not say '%s'", why, words);
    free(why);
}

static void test_newer_store_is_refused(void **state)
{
    (void)state;
    char *dir = fresh_dir();
    make_store(dir, 1);
    run_sql(dir, "PRAGMA user_version = 99");
    expect_refused(dir, SN_STORE_READ, -ENOTSUP, "newer snag (version 99");
    expect_refused(dir, SN_STORE_WRITE, -ENOTSUP, "update snag");
    free(dir);
}

static void test_other_programs_database_is_refused(void **state)
{
    (void)state;
    char *dir = fresh_dir();
    assert_int_equal(mkdir(dir, 0777), 0);
    run_sql(dir, "CREATE TABLE theirs(x); INSERT INTO theirs VALUES(1)");
    expect_refused(dir, SN_STORE_WRITE, -EBADMSG, "another program");
    free(dir);
}

static void write_file(const char *dir, const char *name, const char *text)
{
    char *path = sn_xformat("%s/%s", dir, name);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
    free(path);
}

static void test_what_is_no_database_is_refused(void **state)
{
    (void)state;
    char *dir = fresh_dir();
    assert_int_equal(mkdir(dir, 0777), 0);
    write_file(dir, "snag.db",
               "this is a text file, and quite a long one, but not a database at all; "
               "it has more than a hundred bytes so that there is a header to read");
    expect_refused(dir, SN_STORE_READ, -EBADMSG, "damaged");
    expect_refused(dir, SN_STORE_WRITE, -EBADMSG, "move it away");
    free(dir);
}

static void test_missing_store(void **state)
{
    (void)state;
    char *dir = fresh_dir();
    expect_refused(dir, SN_STORE_READ, -ENOENT, "there is no store");
    assert_int_equal(access(dir, F_OK), -1);
    assert_int_equal(mkdir(dir, 0777), 0);
    write_file(dir, "snag.db", "");
    expect_refused(dir, SN_STORE_READ, -ENOENT, "empty");
    struct sn_store *s = open_store(dir, SN_STORE_WRITE); /* an empty file is as good as none */
    sn_store_close(s);
    free(dir);
}

static void test_folder_in_the_way(void **state)
{
    (void)state;
    char *dir = fresh_dir();
    write_file(root, strrchr(dir, '/') + 1, "a file");
    expect_refused(dir, SN_STORE_WRITE, -ENOTDIR, "--store");
    char *below = sn_xformat("%s/deep/er", dir);
    expect_refused(below, SN_STORE_WRITE, -ENOTDIR, "--store");
    free(below);
    free(dir);
    dir = fresh_dir();
    below = sn_xformat("%s/deep/er", dir);
    sn_store_close(open_store(below, SN_STORE_WRITE));
    free(below);
    free(dir);
}

/* Every cut of a store is refused or read, never a crash, and never more than there was. */
static void test_cut_store(void **state)
{
    (void)state;
    char *dir = fresh_dir(), *path = sn_xformat("%s/snag.db", dir);
    struct stat st;
    make_store(dir, 200);
    assert_int_equal(stat(path, &st), 0);
    for (off_t left = st.st_size - 4096; left > 0; left -= 4096 * 3) {
        assert_int_equal(truncate(path, left), 0);
        struct sn_store *s;
        struct sn_findings all = {0};
        char *why = NULL;
        int err = sn_store_open(dir, SN_STORE_READ, &s, &why);
        if (!err) {
            err = sn_store_all(s, &all);
            if (err)
                assert_non_null(strstr(sn_store_error(s), "damaged"));
            sn_store_close(s);
        }
        assert_true(err == -EBADMSG || (err == 0 && all.n <= 200));
        free(why);
        sn_findings_free(&all);
    }
    free(path);
    free(dir);
}

/* As another user, since root may do everything. Returns the child's exit status. */
static int as_nobody(const char *dir, int (*fn)(const char *dir))
{
    pid_t child = fork();
    if (child == 0) {
        if (geteuid() == 0 && (setgid(65534) || setuid(65534)))
            _exit(99);
        _exit(fn(dir));
    }
    int status;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int try_write(const char *dir)
{
    struct sn_store *s;
    char *why = NULL;
    int err = sn_store_open(dir, SN_STORE_WRITE, &s, &why);
    return err < 0 && why && strstr(why, "--store") ? -err : 0;
}

static int try_read(const char *dir)
{
    struct sn_store *s;
    struct sn_findings all;
    char *why = NULL;
    if (sn_store_open(dir, SN_STORE_READ, &s, &why) || sn_store_all(s, &all))
        return 1;
    return all.n == 2 ? 0 : 2;
}

static void test_read_only_store(void **state)
{
    (void)state;
    char *dir = fresh_dir(), *path = sn_xformat("%s/snag.db", dir);
    make_store(dir, 2);
    assert_int_equal(chmod(root, 0755), 0);
    assert_int_equal(chmod(path, 0444), 0);
    assert_int_equal(chmod(dir, 0555), 0);
    assert_int_equal(as_nobody(dir, try_read), 0);
    int err = as_nobody(dir, try_write);
    assert_true(err == EROFS || err == EACCES);
    assert_int_equal(chmod(path, 0000), 0);
    assert_int_equal(as_nobody(dir, try_read), 1);
    assert_int_equal(chmod(dir, 0755), 0);
    free(path);
    free(dir);
}

/* A limit on file sizes looks like a full disk; what was there before stays. */
static int fill_up(const char *dir)
{
    struct sn_store *s;
    char *why;
    struct rlimit limit = {300000, 300000};
    signal(SIGXFSZ, SIG_IGN);
    if (sn_store_open(dir, SN_STORE_WRITE, &s, &why) || setrlimit(RLIMIT_FSIZE, &limit))
        return 1;
    for (int i = 0; i < 200; i++) {
        struct sn_findings fs = {0};
        int64_t run = 0;
        for (int k = 0; k < 100; k++)
            sample_numbered(&fs, 10000 + i * 100 + k);
        int err = sn_store_run_begin(s, "[]", "race", &run);
        if (!err)
            err = sn_store_add(s, run, &fs);
        sn_findings_free(&fs);
        if (err)
            return err == -ENOSPC && strstr(sn_store_error(s), "full") ? 0 : 2;
    }
    return 3;
}

static void test_full_disk(void **state)
{
    (void)state;
    char *dir = fresh_dir();
    make_store(dir, 2);
    pid_t child = fork();
    if (child == 0)
        _exit(fill_up(dir));
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    struct sn_store *s = open_store(dir, SN_STORE_WRITE);
    struct sn_findings all;
    add_numbered(s, 1, 2);
    assert_int_equal(sn_store_all(s, &all), 0);
    assert_int_equal(all.f[0].hits, 2);
    assert_int_equal(all.n % 100, 2);
    sn_findings_free(&all);
    sn_store_close(s);
    free(dir);
}

/* ---- merging ---- */

#define PARTS 4

static void merge(const char *into, const char *from)
{
    struct sn_store *s = open_store(into, SN_STORE_WRITE);
    char *why = NULL;
    int err = sn_store_merge(s, from, &why);
    if (err)
        fprintf(stderr, "%s\n", why);
    assert_int_equal(err, 0);
    sn_store_close(s);
}

static void make_parts(char *part[PARTS])
{
    for (int i = 0; i < PARTS; i++) {
        part[i] = fresh_dir();
        struct sn_store *s = open_store(part[i], SN_STORE_WRITE);
        add_numbered(s, 10 - i, 5);
        add_numbered(s, 3 * i, 4);
        if (i == 2)
            assert_int_equal(sn_store_set_status(s, 1, SN_CONFIRMED, 1, "crash"), 0);
        char *text = sn_xformat("from %d", i);
        assert_int_equal(sn_store_put_blob(s, "schedule", "k", text, strlen(text)), 0);
        free(text);
        sn_store_close(s);
    }
}

static void test_merge_in_any_order_any_number_of_times(void **state)
{
    (void)state;
    static const int orders[][7] = {
        {0, 1, 2, 3, -1}, {3, 2, 1, 0, -1}, {2, 2, 0, 3, 1, 0, -1}, {1, 3, 0, 2, 1, 3, -1}};
    char *part[PARTS], *first = NULL;
    make_parts(part);
    for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
        char *into = fresh_dir();
        for (int i = 0; orders[o][i] >= 0; i++)
            merge(into, part[orders[o][i]]);
        char *text = list_json(into);
        if (first)
            assert_string_equal(first, text);
        else
            first = sn_xstrdup(text);
        free(text);
        free(into);
    }
    /* Through a store in between, and with itself. */
    char *a = fresh_dir(), *b = fresh_dir();
    merge(a, part[0]);
    merge(a, part[1]);
    merge(b, part[3]);
    merge(b, part[2]);
    merge(b, a);
    merge(a, b);
    merge(a, a);
    char *left = list_json(a), *right = list_json(b);
    assert_string_equal(left, first);
    assert_string_equal(right, first);
    free(left);
    free(right);
    free(first);
    free(a);
    free(b);
    for (int i = 0; i < PARTS; i++)
        free(part[i]);
}

static void test_merge_keeps_everything(void **state)
{
    (void)state;
    char *a = fresh_dir(), *b = fresh_dir();
    struct sn_store *s = open_store(a, SN_STORE_WRITE), *t = open_store(b, SN_STORE_WRITE);
    struct sn_findings all;
    void *data;
    size_t bytes;
    int64_t runs;
    char *why = NULL;
    add_numbered(s, 1, 2);
    add_numbered(t, 2, 2);
    assert_int_equal(sn_store_put_blob(t, "schedule", "k", "abc", 3), 0);
    sn_store_close(t);
    assert_int_equal(sn_store_merge(s, b, &why), 0);
    assert_int_equal(sn_store_all(s, &all), 0);
    assert_int_equal(all.n, 3);
    assert_int_equal(all.f[1].hits, 2);
    assert_int_equal(all.f[2].first_run, 2);
    assert_int_equal(sn_store_runs(s, &runs), 0);
    assert_int_equal(runs, 2);
    assert_int_equal(sn_store_get_blob(s, "schedule", "k", &data, &bytes), 0);
    free(data);
    sn_findings_free(&all);
    sn_store_close(s);
    free(a);
    free(b);
}

/* A merge gives runs new numbers; who began one before still writes to it. */
static void test_merge_while_a_run_is_going_on(void **state)
{
    (void)state;
    char *old = fresh_dir(), *dir = fresh_dir();
    make_store(old, 1);
    struct sn_store *s = open_store(dir, SN_STORE_WRITE);
    int64_t run;
    assert_int_equal(sn_store_run_begin(s, "[]", "race", &run), 0);
    assert_int_equal(run, 1);
    merge(dir, old); /* its run is older and becomes number 1 */
    struct sn_findings fs = {0};
    sample_numbered(&fs, 500);
    assert_int_equal(sn_store_add(s, run, &fs), 0);
    assert_int_equal(fs.f[0].first_run, 2);
    sn_findings_free(&fs);
    sn_store_close(s);
    free(old);
    free(dir);
}

static void test_merge_of_a_damaged_store_changes_nothing(void **state)
{
    (void)state;
    char *good = fresh_dir(), *bad = fresh_dir(), *path = sn_xformat("%s/snag.db", bad),
         *why = NULL;
    struct stat st;
    make_store(good, 3);
    make_store(bad, 200);
    char *before = list_json(good);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(truncate(path, st.st_size - 3 * 4096), 0);
    struct sn_store *s = open_store(good, SN_STORE_WRITE);
    assert_int_equal(sn_store_merge(s, bad, &why), -EBADMSG);
    assert_non_null(strstr(why, bad));
    free(why);
    why = NULL;
    assert_int_equal(sn_store_merge(s, "/no/such/store", &why), -ENOENT);
    free(why);
    sn_store_close(s);
    char *after = list_json(good);
    assert_string_equal(before, after);
    free(before);
    free(after);
    free(path);
    free(good);
    free(bad);
}

static void count_failure(void *arg, const char *dir, int err, const char *why)
{
    assert_int_equal(err, -ENOENT);
    assert_non_null(strstr(why, dir));
    ++*(int *)arg;
}

static void test_merge_many_is_merge_one_by_one(void **state)
{
    (void)state;
    char *part[PARTS], *a = fresh_dir(), *b = fresh_dir();
    int failures = 0;
    make_parts(part);
    const char *all[] = {part[2], "/no/such/store", part[0], part[3], part[1], part[0]};
    struct sn_store *s = open_store(a, SN_STORE_WRITE);
    assert_int_equal(sn_store_merge_many(s, all, 6, count_failure, &failures), -ENOENT);
    assert_int_equal(failures, 1);
    sn_store_close(s);
    for (int i = 0; i < PARTS; i++)
        merge(b, part[i]);
    char *left = list_json(a), *right = list_json(b);
    assert_string_equal(left, right);
    free(left);
    free(right);
    free(a);
    free(b);
    for (int i = 0; i < PARTS; i++)
        free(part[i]);
}

static int make_root(void **state)
{
    (void)state;
    strcpy(root, "/tmp/snag-store-test-XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
    (void)state;
    char *command = sn_xformat("rm -rf %s", root);
    int status = system(command);
    free(command);
    return status;
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
        cmocka_unit_test(test_newer_store_is_refused),
        cmocka_unit_test(test_other_programs_database_is_refused),
        cmocka_unit_test(test_what_is_no_database_is_refused),
        cmocka_unit_test(test_missing_store),
        cmocka_unit_test(test_folder_in_the_way),
        cmocka_unit_test(test_cut_store),
        cmocka_unit_test(test_read_only_store),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_merge_in_any_order_any_number_of_times),
        cmocka_unit_test(test_merge_keeps_everything),
        cmocka_unit_test(test_merge_many_is_merge_one_by_one),
        cmocka_unit_test(test_merge_while_a_run_is_going_on),
        cmocka_unit_test(test_merge_of_a_damaged_store_changes_nothing),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
