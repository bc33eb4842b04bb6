/* wire_test.c: frames in pieces, in heaps, and broken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lsp/wire.h"

static const char one[] = "Content-Length: 14\r\n\r\n{\"method\":\"a\"}";

static void feed(struct sn_wire *w, const char *text)
{
    sn_wire_feed(w, text, strlen(text));
}

static void expect_message(struct sn_wire *w)
{
    json_t *m = NULL;
    assert_int_equal(sn_wire_next(w, &m), SN_WIRE_MESSAGE);
    assert_string_equal(json_string_value(json_object_get(m, "method")), "a");
    json_decref(m);
}

static void in_pieces(void **state)
{
    struct sn_wire w = {0};
    json_t *m;
    (void)state;
    for (size_t i = 0; i + 1 < sizeof one; i++) {
        assert_int_equal(sn_wire_next(&w, &m), SN_WIRE_MORE);
        sn_wire_feed(&w, one + i, 1);
    }
    expect_message(&w);
    assert_int_equal(sn_wire_next(&w, &m), SN_WIRE_MORE);
    sn_wire_free(&w);
}

static void several_at_once(void **state)
{
    struct sn_wire w = {0};
    (void)state;
    for (int i = 0; i < 3; i++)
        feed(&w, one);
    for (int i = 0; i < 3; i++)
        expect_message(&w);
    sn_wire_free(&w);
}

static void other_headers(void **state)
{
    struct sn_wire w = {0};
    (void)state;
    feed(&w, "Content-Type: x; charset=utf-8\r\ncontent-length:  14\r\n\r\n{\"method\":\"a\"}");
    expect_message(&w);
    feed(&w, "Content-Length: 14\n\n{\"method\":\"a\"}");
    expect_message(&w);
    sn_wire_free(&w);
}

/* Whatever is wrong with a frame, the next one is found. */
static void after_broken(void **state)
{
    static const char *const bad[] = {
        "Content-Length: 5\r\n\r\n{{{{{",
        "Content-Length: 2\r\n\r\n[]",
        "Content-Length: -7\r\n\r\n",
        "Content-Length: 99999999999999999999\r\n\r\n",
        "Content-Length: x\r\n\r\n{\"a\":1}\r\n",
        "nothing like a header\r\n\r\n",
        "Content-Length: 0\r\n\r\n",
    };
    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct sn_wire w = {0};
        json_t *m;
        enum sn_wire_result r;
        int broken = 0;
        feed(&w, bad[k]);
        feed(&w, one);
        while ((r = sn_wire_next(&w, &m)) == SN_WIRE_BAD)
            assert_true(++broken < 10);
        assert_int_equal(r, SN_WIRE_MESSAGE);
        assert_true(broken > 0);
        json_decref(m);
        sn_wire_free(&w);
    }
}

/* A message that is too long is dropped as it comes. */
static void too_long(void **state)
{
    struct sn_wire w = {0};
    json_t *m;
    char piece[4096];
    (void)state;
    memset(piece, 'x', sizeof piece);
    feed(&w, "Content-Length: 100000000\r\n\r\n");
    assert_int_equal(sn_wire_next(&w, &m), SN_WIRE_BAD);
    for (size_t left = 100000000; left > 0;) {
        size_t n = left < sizeof piece ? left : sizeof piece;
        sn_wire_feed(&w, piece, n);
        left -= n;
    }
    assert_true(w.n == 0);
    feed(&w, one);
    expect_message(&w);
    sn_wire_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_pieces),     cmocka_unit_test(several_at_once),
        cmocka_unit_test(other_headers), cmocka_unit_test(after_broken),
        cmocka_unit_test(too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
