/* position_test.c: UTF-16 units, bytes and lines; changes of a document. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lsp/document.h"
#include "lsp/position.h"

/* One byte, two, three and four in UTF-8; one, one, one and two units in UTF-16. */
static const char text[] = "ab\nx\xc3\xa9\xe2\x82\xac\xf0\x9d\x84\x9ey\r\nlast";

static size_t offset(size_t line, size_t character)
{
    return sn_position_offset(text, sizeof text - 1, (struct sn_position){line, character});
}

static void offsets(void **state)
{
    (void)state;
    assert_int_equal(offset(0, 0), 0);
    assert_int_equal(offset(0, 99), 2);
    assert_int_equal(offset(1, 0), 3);
    assert_int_equal(offset(1, 1), 4);
    assert_int_equal(offset(1, 2), 6);
    assert_int_equal(offset(1, 3), 9);
    assert_int_equal(offset(1, 5), 13);
    assert_int_equal(offset(1, 6), 14);
    assert_int_equal(offset(1, 7), 14); /* before the \r */
    assert_int_equal(offset(2, 4), sizeof text - 1);
    assert_int_equal(offset(9, 9), sizeof text - 1);
}

static void from_compiler(void **state)
{
    (void)state;
    for (size_t k = 0; k <= 6; k++) {
        if (k == 4)
            continue; /* in the middle of a pair */
        int column = (int)(offset(1, k) - offset(1, 0)) + 1;
        struct sn_position p = sn_position_of(text, sizeof text - 1, 2, column);
        assert_int_equal(p.line, 1);
        assert_int_equal(p.character, k);
    }
}

static void change(struct sn_document *d, const char *json, bool taken)
{
    json_t *j = json_loads(json, 0, NULL);
    assert_non_null(j);
    assert_int_equal(sn_document_change(d, j), taken);
    json_decref(j);
}

static void changes(void **state)
{
    struct sn_documents all = {0};
    (void)state;
    struct sn_document *d = sn_document_open(&all, "untitled:a", "c", 1, text, sizeof text - 1);
    assert_true(sn_document_is_unit(d));
    change(d,
           "{\"range\":{\"start\":{\"line\":1,\"character\":3},\"end\":{\"line\":1,\"character\":5}"
           "},\"text\":\"Z\"}",
           true);
    assert_string_equal(d->text, "ab\nx\xc3\xa9\xe2\x82\xacZy\r\nlast");
    change(d,
           "{\"range\":{\"start\":{\"line\":0,\"character\":2},\"end\":{\"line\":2,\"character\":0}"
           "},\"text\":\"-\"}",
           true);
    assert_string_equal(d->text, "ab-last");
    change(
        d,
        "{\"range\":{\"start\":{\"line\":0,\"character\":-1},\"end\":{\"line\":2}},\"text\":\"-\"}",
        false);
    change(d, "{\"range\":null}", false);
    /* The end before the start: nothing is taken away. */
    change(d,
           "{\"range\":{\"start\":{\"line\":0,\"character\":3},\"end\":{\"line\":0,\"character\":1}"
           "},\"text\":\"+\"}",
           true);
    assert_string_equal(d->text, "ab-+last");
    change(d, "{\"text\":\"whole\"}", true);
    assert_string_equal(d->text, "whole");
    sn_documents_free(&all);
}

static void uris(void **state)
{
    (void)state;
    char *path = sn_uri_path("file:///no%20where/a%2Bb.c?x#y"),
         *uri = sn_path_uri("/no where/a+b.c");
    assert_string_equal(path, "/no where/a+b.c");
    assert_string_equal(uri, "file:///no%20where/a%2Bb.c");
    free(path);
    free(uri);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(offsets), cmocka_unit_test(from_compiler),
                                       cmocka_unit_test(changes), cmocka_unit_test(uris)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
