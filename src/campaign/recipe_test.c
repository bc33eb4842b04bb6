/* recipe_test.c: campaign files, right and wrong. */
#include "campaign/recipe.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "campaign/plan.h"

static void read_good(const char *text, struct sn_recipe *r)
{
    char *why = NULL;
    int err = sn_recipe_parse(text, strlen(text), r, &why);
    if (err)
        print_error("%s\n", why);
    assert_int_equal(err, 0);
    assert_null(why);
}

static void assert_bad(const char *text, const char *words)
{
    struct sn_recipe r;
    char *why = NULL;
    assert_int_equal(sn_recipe_parse(text, strlen(text), &r, &why), -EINVAL);
    if (!strstr(why, words))
        print_error("'%s' is not in '%s'\n", words, why);
    assert_non_null(strstr(why, words));
    free(why);
}

static void test_all_keywords(void **state)
{
    (void)state;
    struct sn_recipe r;
    read_good("# first\n"
              "name n-1.x\r\n"
              "folder 'a b'\n"
              "\n"
              "program ./p \"x y\" a#b # comment\n"
              "tests ctest build -R 'a|b'\n"
              "tests meson out fast\n"
              "sources *.c\n"
              "engine fuzz by 5 seeds 10..99 --strategy pct\n"
              "engine run seeds next 7\n"
              "engine check\n"
              "timeout 90\nbudget 1.5h\nunit-time 10m\nretries 0\ncarry d e\n"
              "store s\nsuppressions f",
              &r);
    assert_string_equal(r.name, "n-1.x");
    assert_string_equal(r.folder, "a b");
    assert_int_equal(r.program[0].words.n, 3);
    assert_string_equal(r.program[0].words.v[2], "a#b");
    assert_int_equal(r.ntests, 2);
    assert_string_equal(r.tests[0].chosen.v[1], "a|b");
    assert_int_equal(r.engine[0].first, 10);
    assert_int_equal(r.engine[0].last, 99);
    assert_int_equal(r.engine[0].by, 5);
    assert_int_equal(r.engine[0].options.n, 2);
    assert_true(r.engine[1].next);
    assert_int_equal(r.engine[1].last, 7);
    assert_true(r.budget_s == 5400 && r.timeout_s == 90 && r.unit_time_s == 600);
    assert_int_equal(r.retries, 0);
    assert_int_equal(r.carry.n, 2);
    sn_recipe_clear(&r);
}

static void test_wrong_lines(void **state)
{
    (void)state;
    assert_bad("", "engine");
    assert_bad("engine race\nprogram", "line 2: 'program' takes");
    assert_bad("program p\nengine race seeds 1", "line 2: 'seeds'");
    assert_bad("program p\nengine race seeds 1..99999999999999999999", "line 2");
    assert_bad("program p\nengine race seeds -1..2", "line 2");
    assert_bad("program p\nengine race by 2 by 3", "line 2");
    assert_bad("program p\nengine race x", "neither");
    assert_bad("program p\nengine race --json=f", "set by the campaign");
    assert_bad("program p\nengine check", "no 'sources'");
    assert_bad("sources x\nengine race", "neither 'program'");
    assert_bad("retries 1001", "retries");
    assert_bad("timeout -1", "time");
    assert_bad("budget 2w", "time");
    assert_bad("name", "one word");
    assert_bad("name -x", "letters");
    assert_bad("store ''", "empty");
    assert_bad("program 'p\nengine race", "line 1: a quote");
}

static void test_words_for_the_shell(void **state)
{
    (void)state;
    static const char *const words[][2] = {
        {"plain-1.c", "plain-1.c"}, {"", "''"},         {"a b", "'a b'"},
        {"it's", "'it'\\''s'"},     {"$x", "'$x'"},     {"/h/p/x", "\"$home\"/x"},
        {"/h/p", "\"$home\""},      {"/h/pq", "/h/pq"}, {"-f=/h/p/a b", "'-f='\"$home\"'/a b'"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char *quoted = sn_plan_quote(words[i][0], "/h/p");
        assert_string_equal(quoted, words[i][1]);
        free(quoted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_keywords),
        cmocka_unit_test(test_wrong_lines),
        cmocka_unit_test(test_words_for_the_shell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
