/* cc_hot_test.c: where the attribute goes, and that nothing else changes. */
#include "cmd/cc_hot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HOT "__attribute__((no_sanitize(\"thread\"))) "

static void same(const char *text, const char *expected)
{
    struct sn_words names = {0};
    sn_words_add(&names, "hot");
    sn_words_add(&names, "warm_*");
    char *got = sn_cc_hot_text(text, &names);
    assert_string_equal(got, expected);
    free(got);
    sn_words_free(&names);
}

static void definitions(void **state)
{
    (void)state;
    same("static void hot(int a)\n{\n  f(a);\n}\n", HOT "static void hot(int a)\n{\n  f(a);\n}\n");
    same("int x;\nint\nhot (void) { return x; }", "int x;\n" HOT "int\nhot (void) { return x; }");
    same("struct s *warm_up(struct s *p) {}", HOT "struct s *warm_up(struct s *p) {}");
    same("void cold(void) { hot(); } void hot(void) {}",
         "void cold(void) { hot(); } " HOT "void hot(void) {}");
    same("__attribute__((noinline)) static int hot(int (*f)(int)) { return f(1); }",
         HOT "__attribute__((noinline)) static int hot(int (*f)(int)) { return f(1); }");
}

static void nothing(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "void hot(void);\nint cold(void) { return 0; }",
        "#define D(x) void hot(void) { \\\n x }\nint a;",
        "/* void hot(void) { } */ // void hot(void) { }\nconst char *s = \"void hot(void) {\";",
        "int table[] = {1, 2}; struct hot { int a; } hot_one = {'{'};",
        "# 1 \"hot(void) {\"\nint cold(int hot) { if (hot) { hot(); } }",
        "int (*hot)(void); enum { hot_a = sizeof(int) };",
        "",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        same(texts[i], texts[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(definitions), cmocka_unit_test(nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
