/* cmd_options_test.c: option tables, SNAG_OPTIONS, and which of the two wins. */
#include "cmd/options.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "cmd/command.h"

static const char *mode;
static bool flag;
static int64_t number;
static const char *letter;
static struct sn_words many;

static const struct sn_option own[] = {
    SN_OPTION_CHOICE("mode", &mode, "fast|slow", ""),   SN_OPTION_FLAG("flag", &flag, ""),
    SN_OPTION_NUMBER("number", &number, 1, 9, "N", ""), SN_OPTION_TEXT("p", &letter, "DIR", ""),
    SN_OPTION_LIST("many", &many, "WORD", ""),          SN_OPTION_END,
};

static int reset(void **state)
{
    (void)state;
    mode = "fast";
    flag = false;
    number = 0;
    letter = NULL;
    sn_words_free(&many);
    sn_common.store = ".snag";
    sn_common.seed = 1;
    sn_common.quiet = false;
    unsetenv("SNAG_OPTIONS");
    return 0;
}

/* Reads the words after the command's name; returns the status. */
static int read_words(int *first, int n, char **words)
{
    return sn_options_read(n, words, own, first);
}

#define READ(first, ...)                                                                           \
    read_words(first, sizeof((char *[]){"race", __VA_ARGS__}) / sizeof(char *),                    \
               (char *[]){"race", __VA_ARGS__, NULL})

static void both_forms_of_a_value(void **state)
{
    (void)state;
    int first;
    assert_int_equal(
        READ(&first, "--mode", "slow", "--number=7", "--flag", "-p", "dir", "prog", "--mode"), 0);
    assert_string_equal(mode, "slow");
    assert_int_equal(number, 7);
    assert_true(flag);
    assert_string_equal(letter, "dir");
    assert_int_equal(first, 7);
}

static void two_dashes_end_options(void **state)
{
    (void)state;
    int first;
    assert_int_equal(READ(&first, "--flag", "--", "--prog"), 0);
    assert_int_equal(first, 3);
}

static void a_dash_alone_is_no_option(void **state)
{
    (void)state;
    int first;
    assert_int_equal(READ(&first, "-", "--flag"), 0);
    assert_int_equal(first, 1);
    assert_false(flag);
}

static void wrong_values(void **state)
{
    (void)state;
    int first;
    assert_int_equal(READ(&first, "--number", "10"), SN_EXIT_FAILED);
    assert_int_equal(READ(&first, "--number", "x"), SN_EXIT_FAILED);
    assert_int_equal(READ(&first, "--number="), SN_EXIT_FAILED);
    assert_int_equal(READ(&first, "--number"), SN_EXIT_FAILED);
    assert_int_equal(READ(&first, "--mode", "fas"), SN_EXIT_FAILED);
    assert_int_equal(READ(&first, "--mode", "fast|slow"), SN_EXIT_FAILED);
    assert_int_equal(READ(&first, "--flag=maybe"), SN_EXIT_FAILED);
    assert_int_equal(READ(&first, "--p", "dir"), SN_EXIT_FAILED);
    assert_int_equal(READ(&first, "-flag"), SN_EXIT_FAILED);
    assert_int_equal(READ(&first, "--mode", "--flag"), SN_EXIT_FAILED);
}

static void command_line_wins(void **state)
{
    (void)state;
    int first;
    setenv("SNAG_OPTIONS", "seed=3 mode=slow --quiet no-store", 1);
    assert_int_equal(READ(&first, "--mode=fast", "--quiet=no", "prog"), 0);
    assert_string_equal(mode, "fast");
    assert_false(sn_common.quiet);
    assert_int_equal(sn_common.seed, 3);
    assert_null(sn_common.store);
    assert_int_equal(READ(&first, "--store", "x", "prog"), 0);
    assert_string_equal(sn_common.store, "x");
}

static void environment_may_name_other_commands_options(void **state)
{
    (void)state;
    int first;
    setenv("SNAG_OPTIONS", "detector=hybrid", 1); /* race's */
    assert_int_equal(READ(&first, "prog"), 0);
    setenv("SNAG_OPTIONS", "detektor=hybrid", 1);
    assert_int_equal(READ(&first, "prog"), SN_EXIT_FAILED);
    setenv("SNAG_OPTIONS", "seed=minus", 1);
    assert_int_equal(READ(&first, "prog"), SN_EXIT_FAILED);
    setenv("SNAG_OPTIONS", "seed='1", 1);
    assert_int_equal(READ(&first, "prog"), SN_EXIT_FAILED);
}

static void lists_grow(void **state)
{
    (void)state;
    int first;
    assert_int_equal(READ(&first, "--many=a", "--many", "b"), 0);
    assert_int_equal(many.n, 2);
    assert_string_equal(many.v[1], "b");
}

static void mixed_words(void **state)
{
    (void)state;
    struct sn_words rest = {0};
    char *argv[] = {"show", "3", "--flag", "--", "--mode", NULL};
    assert_int_equal(sn_options_read_mixed(5, argv, own, &rest), 0);
    assert_int_equal(rest.n, 2);
    assert_string_equal(rest.v[0], "3");
    assert_string_equal(rest.v[1], "--mode");
    assert_true(flag);
    sn_words_free(&rest);
}

static void nearest_name(void **state)
{
    (void)state;
    assert_string_equal(sn_option_nearest(own, "mdoe"), "mode");
    assert_string_equal(sn_option_nearest(own, "supression"), "suppressions");
    assert_string_equal(sn_option_nearest(own, "time-out"), "timeout");
    assert_null(sn_option_nearest(own, "zzzzzzzz"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(both_forms_of_a_value, reset),
        cmocka_unit_test_setup(two_dashes_end_options, reset),
        cmocka_unit_test_setup(a_dash_alone_is_no_option, reset),
        cmocka_unit_test_setup(wrong_values, reset),
        cmocka_unit_test_setup(command_line_wins, reset),
        cmocka_unit_test_setup(environment_may_name_other_commands_options, reset),
        cmocka_unit_test_setup(lists_grow, reset),
        cmocka_unit_test_setup(mixed_words, reset),
        cmocka_unit_test_setup(nearest_name, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
