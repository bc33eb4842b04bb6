/* words_test.c: splitting a string into words. */
#include "cmd/words.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

static void blanks_separate(void **state)
{
    (void)state;
    struct sn_words w = {0};
    assert_int_equal(sn_words_split(&w, "  seed=1\tquiet \n"), 0);
    assert_int_equal(w.n, 2);
    assert_string_equal(w.v[0], "seed=1");
    assert_string_equal(w.v[1], "quiet");
    assert_null(w.v[2]);
    sn_words_free(&w);
}

static void quotes_keep_blanks(void **state)
{
    (void)state;
    struct sn_words w = {0};
    assert_int_equal(sn_words_split(&w, "store='a b' \"c \\\" d\" e\\ f '\\'"), 0);
    assert_int_equal(w.n, 4);
    assert_string_equal(w.v[0], "store=a b");
    assert_string_equal(w.v[1], "c \" d");
    assert_string_equal(w.v[2], "e f");
    assert_string_equal(w.v[3], "\\");
    sn_words_free(&w);
}

static void open_quote_is_an_error(void **state)
{
    (void)state;
    struct sn_words w = {0};
    assert_int_equal(sn_words_split(&w, "a 'b c"), -EINVAL);
    sn_words_free(&w);
}

static void many_words(void **state)
{
    (void)state;
    struct sn_words w = {0}, copy = {0};
    for (int i = 0; i < 1000; i++)
        sn_words_add(&w, "word");
    sn_words_add_all(&copy, w.v);
    assert_int_equal(copy.n, 1000);
    assert_null(copy.v[1000]);
    sn_words_free(&w);
    sn_words_free(&copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blanks_separate),
        cmocka_unit_test(quotes_keep_blanks),
        cmocka_unit_test(open_quote_is_an_error),
        cmocka_unit_test(many_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
