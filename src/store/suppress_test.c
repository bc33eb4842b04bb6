/* suppress_test.c: ThreadSanitizer's suppressions: what they hide, what they leave. */
#include "store/suppress.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "store/finding_sample.h"

static struct sn_suppressions *load(const char *text, int want, char **why)
{
    char path[] = "/tmp/snag-suppress-XXXXXX";
    struct sn_suppressions *s = NULL;
    int fd = mkstemp(path);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    assert_int_equal(sn_suppress_load(path, &s, why), want);
    unlink(path);
    return s;
}

static void test_patterns(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *text;
        bool match;
    } cases[] = {
        {"add", "add", true},
        {"add", "my_adder", true},
        {"add", "sum", false},
        {"^add", "adder", true},
        {"^add", "my_add", false},
        {"add$", "my_add", true},
        {"add$", "add_add", true},
        {"add$", "adder", false},
        {"^add$", "add", true},
        {"^add$", "add2", false},
        {"a*d", "xaxxdx", true},
        {"^a*d$", "abcd", true},
        {"^a*d$", "abcde", false},
        {"^a*b*c$", "aXbYc", true},
        {"^ab*bc$", "abc", false},
        {"*", "anything", true},
        {"*foo*", "a foo b", true},
        {"foo*bar", "barfoo", false},
        {"/src/*.c$", "/home/src/x.c", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (sn_suppress_match(cases[i].pattern, cases[i].text) != cases[i].match)
            fail_msg("%s on %s", cases[i].pattern, cases[i].text);
    }
}

/* Whether `entry` hides the race of finding_sample.h. */
static bool hides_race(const char *entry)
{
    char *why = NULL;
    struct sn_suppressions *s = load(entry, 0, &why);
    struct sn_findings fs = {0};
    sample_race(&fs);
    size_t gone = sn_suppress_apply(s, &fs);
    assert_int_equal(gone + fs.n, 1);
    sn_findings_free(&fs);
    sn_suppress_free(s);
    return gone == 1;
}

static void test_races(void **state)
{
    (void)state;
    assert_true(hides_race("race:^add$\n"));
    assert_true(hides_race("race:worker"));      /* not the innermost frame */
    assert_true(hides_race("race:bank.c\n"));    /* file */
    assert_true(hides_race("race:^prog$\n"));    /* module */
    assert_true(hides_race("race:^counter$\n")); /* global */
    assert_true(hides_race("race_top:report\n"));
    assert_false(hides_race("race_top:worker\n"));
    assert_true(hides_race("called_from_lib:prog\n"));
    assert_false(hides_race("called_from_lib:bank.c\n"));
    assert_false(hides_race("deadlock:add\n"));
    assert_false(hides_race("mutex:add\nthread:add\nsignal:add\n"));
    assert_false(hides_race("race:subtract\n"));
    assert_false(hides_race(""));
}

static void test_other_kinds(void **state)
{
    (void)state;
    char *why = NULL;
    struct sn_suppressions *s =
        load("deadlock:transfer\nmutex:drop\nrace:transfer\nrace:drop\n", 0, &why);
    struct sn_findings fs = {0};
    struct sn_finding *f = sn_findings_add(&fs);
    f->kind = SN_KIND_LOCK_ORDER;
    sample_edge(f, 1, "other", 1, "a", "b");
    sample_edge(f, 2, "transfer", 2, "b", "a");
    f = sn_findings_add(&fs);
    f->kind = SN_KIND_MISUSE;
    f->text = sn_xstrdup("destroy of a locked mutex");
    sample_site(f, 1, SN_OP_LOCK, "drop", "/src/bank.c", 1, 1);
    f = sn_findings_add(&fs);
    f->kind = SN_KIND_MISUSE;
    sample_site(f, 1, SN_OP_LOCK, "keep", "/src/bank.c", 1, 1);
    assert_int_equal(sn_suppress_apply(s, &fs), 2);
    assert_int_equal(fs.n, 1);
    assert_string_equal(fs.f[0].sites[0].stack.frame[0].function, "keep");
    sn_findings_free(&fs);
    sn_suppress_free(s);
}

static void note_unused(void *arg, int line, const char *entry)
{
    char *all = arg;
    sprintf(all + strlen(all), "%d=%s;", line, entry);
}

static void test_unused_entries_are_named(void **state)
{
    (void)state;
    char *why = NULL, unused[200] = "";
    struct sn_suppressions *s =
        load("# a comment\n\n  race:add  \nrace:nobody\n\tdeadlock:nowhere\n", 0, &why);
    struct sn_findings fs = {0};
    sample_race(&fs);
    assert_int_equal(sn_suppress_apply(s, &fs), 1);
    sn_suppress_unused(s, note_unused, unused);
    assert_string_equal(unused, "4=race:nobody;5=deadlock:nowhere;");
    sn_findings_free(&fs);
    sn_suppress_free(s);
}

static void expect_error(const char *text, const char *words)
{
    char *why = NULL;
    assert_null(load(text, -EINVAL, &why));
    if (!strstr(why, words))
        fail_msg("'%s' does not say '%s'", why, words);
    free(why);
}

static void test_errors_name_the_line(void **state)
{
    (void)state;
    expect_error("race:ok\nnonsense\n", "line 2: it has no colon");
    expect_error("# c\n\nleak:malloc\n", "line 3: its type is none of");
    expect_error("race: \n", "line 1: its pattern is empty");
    expect_error("races:x\n", "line 1");
    char *why = NULL;
    struct sn_suppressions *s = NULL;
    assert_int_equal(sn_suppress_load("/no/such/file", &s, &why), -ENOENT);
    assert_non_null(strstr(why, "/no/such/file"));
    free(why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_races),
        cmocka_unit_test(test_other_kinds),
        cmocka_unit_test(test_unused_entries_are_named),
        cmocka_unit_test(test_errors_name_the_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
