/* store_damage_test.c: stores that cannot be read or written: said in words, and nothing is lost.
 */
#include "store/store.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "store/finding_sample.h"
#include "store/store_sample.h"

static void run_sql(const char *dir, const char *sql)
{
    char *path = sn_xformat("%s/snag.db", dir);
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    free(path);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_newer_store_is_refused),
        cmocka_unit_test(test_other_programs_database_is_refused),
        cmocka_unit_test(test_what_is_no_database_is_refused),
        cmocka_unit_test(test_missing_store),
        cmocka_unit_test(test_folder_in_the_way),
        cmocka_unit_test(test_cut_store),
        cmocka_unit_test(test_read_only_store),
        cmocka_unit_test(test_full_disk),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
