/* store_merge_test.c: merging in any order, any number of times, gives the same store. */
#include "store/store.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "store/finding_sample.h"
#include "store/store_sample.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_merge_in_any_order_any_number_of_times),
        cmocka_unit_test(test_merge_keeps_everything),
        cmocka_unit_test(test_merge_while_a_run_is_going_on),
        cmocka_unit_test(test_merge_of_a_damaged_store_changes_nothing),
        cmocka_unit_test(test_merge_many_is_merge_one_by_one),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
