/* cc_record_test.c: where the output is, and records in a copy of this very program. */
#include "cmd/cc_record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static void assert_output(const char *text, bool links, const char *wanted)
{
    struct sn_words w = {0};
    sn_words_split(&w, text);
    char *output = sn_cc_output(w.v, links);
    if (wanted)
        assert_string_equal(output, wanted);
    else
        assert_null(output);
    free(output);
    sn_words_free(&w);
}

static void the_output_is_found(void **state)
{
    (void)state;
    assert_output("-O2 -o prog a.c", true, "prog");
    assert_output("-oprog a.c b.o", true, "prog");
    assert_output("a.c", true, "a.out");
    assert_output("-c src/a.b.cc", false, "a.b.o");
    assert_output("-c a.c b.c", false, NULL);
    assert_output("-c -x c -", false, NULL);
}

static void copy_self(const char *to)
{
    static char buffer[1 << 16];
    FILE *in = fopen("/proc/self/exe", "r"), *out = fopen(to, "w");
    assert_non_null(in);
    assert_non_null(out);
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, in)) > 0;)
        assert_int_equal(fwrite(buffer, 1, n, out), n);
    fclose(in);
    assert_int_equal(fclose(out), 0);
    chmod(to, 0700);
}

static void put(char *path, bool links, const char *args)
{
    struct sn_cc_record r = {
        .links = links, .is_cxx = !links, .output = path, .compiler = "", .folder = "/a b"};
    sn_words_split(&r.args, args);
    sn_cc_record_put(&r);
    sn_words_free(&r.args);
}

static void records_are_kept(void **state)
{
    char folder[] = "/tmp/cc_record.XXXXXX", path[64];
    struct sn_cc_records all;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/prog", folder);
    copy_self(path);
    sn_cc_records_read(path, &all);
    assert_int_equal(all.n, 0);
    put(path, false, "-c '' 'x y.c'");
    put(path, true, "z.o");
    sn_cc_records_read(path, &all);
    assert_int_equal(all.n, 2);
    assert_false(all.v[0].links);
    assert_true(all.v[0].is_cxx);
    assert_string_equal(all.v[0].output, path);
    assert_string_equal(all.v[0].folder, "/a b");
    assert_int_equal(all.v[0].args.n, 3);
    assert_string_equal(all.v[0].args.v[1], "");
    assert_string_equal(all.v[0].args.v[2], "x y.c");
    assert_true(all.v[1].links);
    assert_string_equal(all.v[1].args.v[0], "z.o");
    sn_cc_records_free(&all);
    unlink(path);
    rmdir(folder);
}

/* A file with two names may be a cache's; a text is no program. */
static void other_files_are_left_alone(void **state)
{
    char folder[] = "/tmp/cc_record.XXXXXX", path[64], other[64];
    struct sn_cc_records all;
    struct stat st;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/prog", folder);
    snprintf(other, sizeof other, "%s/other", folder);
    copy_self(path);
    assert_int_equal(link(path, other), 0);
    put(path, true, "z.o");
    sn_cc_records_read(path, &all);
    assert_int_equal(all.n, 0);
    unlink(other);
    FILE *f = fopen(path, "w");
    fputs("text", f);
    fclose(f);
    put(path, true, "z.o");
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_size, 4);
    unlink(path);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_output_is_found),
        cmocka_unit_test(records_are_kept),
        cmocka_unit_test(other_files_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
