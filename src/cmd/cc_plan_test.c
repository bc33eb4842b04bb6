/* cc_plan_test.c: what `snag cc` reads from a compiler's arguments, and what it adds. */
#include "cmd/cc_plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static struct sn_cc_request read_line(const char *line)
{
    struct sn_words w = {0};
    struct sn_cc_request r;
    assert_int_equal(sn_words_split(&w, line), 0);
    sn_words_add(&w, ""); /* the vector exists even for no words */
    free(w.v[--w.n]);
    w.v[w.n] = NULL;
    sn_cc_read(w.v, &r);
    sn_words_free(&w);
    return r;
}

/* The added arguments as one line, each followed by a blank. */
static const char *extra(const char *line, enum sn_cc_kind kind)
{
    static char text[1024];
    struct sn_words out = {0};
    struct sn_cc_request r = read_line(line);
    sn_cc_extra(&r, kind, "/lib", &out);
    text[0] = 0;
    for (size_t i = 0; i < out.n; i++) {
        strcat(text, out.v[i]);
        strcat(text, " ");
    }
    sn_words_free(&out);
    return text;
}

static void questions_are_left_alone(void **state)
{
    (void)state;
    static const char *const lines[] = {"",
                                        "--version",
                                        "-v",
                                        "-dumpmachine",
                                        "-print-search-dirs",
                                        "-print-prog-name=ld",
                                        "-Wl,--version",
                                        "-o out -I dir -x c"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_string_equal(extra(lines[i], SN_CC_GCC), "");
}

/* gcc's table of them cannot be linked when an inline function is in two files. */
static void no_room_in_cxx_of_gcc(void **state)
{
    static const char *const lines[] = {"-c a.cc", "-c a.C", "-c -x c++ a", "-c -xc++ a",
                                        "-c a.o b.cpp"};
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        assert_null(strstr(extra(lines[i], SN_CC_GCC), "patchable"));
        assert_non_null(strstr(extra(lines[i], SN_CC_CLANG), "patchable"));
    }
    assert_non_null(strstr(extra("-c a.c", SN_CC_GCC), "patchable"));
    assert_non_null(strstr(extra("-c -x c a.cc.in", SN_CC_GCC), "patchable"));
}

static void compiling_does_not_link(void **state)
{
    (void)state;
    assert_string_equal(
        extra("-c a.c", SN_CC_GCC),
        "-fsanitize=thread -g -fpatchable-function-entry=16,14 -idirafter /lib/include ");
    assert_string_equal(extra("-S a.c", SN_CC_CLANG),
                        "--start-no-unused-arguments -fsanitize=thread -g "
                        "-fpatchable-function-entry=16,14 -idirafter /lib/include "
                        "--end-no-unused-arguments ");
    assert_string_equal(extra("-E -", SN_CC_GCC), "-fsanitize=thread -idirafter /lib/include ");
    assert_string_equal(extra("-MM a.c", SN_CC_GCC), "-fsanitize=thread -idirafter /lib/include ");
    assert_string_equal(extra("a.hpp -o a.gch", SN_CC_GCC),
                        "-fsanitize=thread -g -idirafter /lib/include ");
    assert_string_equal(
        extra("-x c-header a", SN_CC_GCC),
        "-fsanitize=thread -g -fpatchable-function-entry=16,14 -idirafter /lib/include ");
    assert_true(read_line("-MMD -MF a.d a.c").links);
    assert_true(read_line("-xc-header a -xnone b.c").links);
}

static void linking_names_the_library(void **state)
{
    (void)state;
    assert_string_equal(extra("a.o", SN_CC_GCC),
                        "-fsanitize=thread -g -fpatchable-function-entry=16,14 -idirafter "
                        "/lib/include -Xlinker /lib/snag-fast-program.o -L/lib/gcc -Xlinker -rpath "
                        "-Xlinker /lib -Xlinker --emit-relocs ");
    assert_null(strstr(extra("a.o -s", SN_CC_GCC), "--emit-relocs"));
    assert_non_null(strstr(extra("a.o -nostdlib", SN_CC_GCC), "-Xlinker /lib/libsnag.so "));
    assert_non_null(strstr(extra("a.o -fno-sanitize=all", SN_CC_GCC), "-Xlinker /lib/libsnag.so "));
    assert_non_null(strstr(extra("a.o", SN_CC_CLANG), "-fno-sanitize-link-runtime "));
    assert_non_null(strstr(extra("a.o", SN_CC_CLANG), "-Xlinker /lib/libsnag.so "));
    assert_string_equal(
        extra("a.o -r", SN_CC_GCC),
        "-fsanitize=thread -g -fpatchable-function-entry=16,14 -idirafter /lib/include ");
    assert_non_null(strstr(extra("a.o -r", SN_CC_CLANG), "-fno-sanitize-link-runtime "));
    assert_null(strstr(extra("a.o -r", SN_CC_CLANG), "libsnag"));
    assert_null(strstr(extra("a.o -r", SN_CC_CLANG), "snag-fast"));
}

static void libraries_get_the_other_object(void **state)
{
    (void)state;
    static const char *const libraries[] = {"-shared a.o",
                                            "a.o --shared",
                                            "-Wl,-z,now,-shared a.o",
                                            "-Xlinker -shared a.o",
                                            "-Wl,-Bshareable a.o -o b",
                                            NULL};
    static const char *const programs[] = {"-shared-libgcc a.o", "a.o -o a-shared", "-pie a.o",
                                           "-static-libgcc -lshared a.o", NULL};
    for (const char *const *line = libraries; *line; line++)
        assert_non_null(strstr(extra(*line, SN_CC_GCC), "/lib/snag-fast.o "));
    for (const char *const *line = programs; *line; line++)
        assert_non_null(strstr(extra(*line, SN_CC_GCC), "/lib/snag-fast-program.o "));
}

static void values_are_no_inputs(void **state)
{
    (void)state;
    assert_false(read_line("-include a.h -MF a.d -T script -u main").has_input);
    assert_true(read_line("-Ia -DX=1 b.c").has_input);
}

static void static_links(void **state)
{
    (void)state;
    assert_true(read_line("-static a.c").is_static);
    assert_string_equal(read_line("-static-pie a.c").static_word, "-static-pie");
    assert_false(read_line("-static-libgcc a.c").is_static);
}

static void other_sanitizers(void **state)
{
    (void)state;
    assert_string_equal(read_line("-fsanitize=undefined,address a.c").conflict, "address");
    assert_string_equal(read_line("-fsanitize=thread,undefined a.c").conflict, "");
    assert_string_equal(read_line("-fsanitize=memory -fno-sanitize=all a.c").conflict, "");
    assert_string_equal(read_line("-fsanitize=leak a.c -fno-sanitize-recover=all").conflict,
                        "leak");
}

static void another_sanitizers_library(void **state)
{
    (void)state;
    struct sn_cc_request r = read_line("-fsanitize=undefined a.c");
    assert_non_null(strstr(extra("-fsanitize=undefined a.c", SN_CC_CLANG), "-Xclang -fsanitize="));
    assert_null(strstr(extra("-fsanitize=undefined a.c", SN_CC_CLANG), "link-runtime"));
    assert_null(strstr(extra("-fsanitize=undefined a.c", SN_CC_GCC), "-Xclang"));
    assert_null(sn_cc_argument(&r, SN_CC_CLANG, "-fsanitize=thread"));
    char *rest = sn_cc_argument(&r, SN_CC_CLANG, "-fsanitize=bool,thread,enum");
    assert_string_equal(rest, "-fsanitize=bool,enum");
    free(rest);
    rest = sn_cc_argument(&r, SN_CC_GCC, "-fsanitize=bool,thread");
    assert_string_equal(rest, "-fsanitize=bool,thread");
    free(rest);
    assert_null(sn_cc_argument(&r, SN_CC_GCC, "-static-libtsan"));
}

static void response_files(void **state)
{
    (void)state;
    char name[] = "/tmp/cc_plan_test.XXXXXX", line[64];
    int fd = mkstemp(name);
    assert_true(fd >= 0);
    dprintf(fd, "-c \"a b.c\"\n@%s\n", name); /* names itself: must end */
    close(fd);
    snprintf(line, sizeof line, "@%s", name);
    struct sn_cc_request r = read_line(line);
    unlink(name);
    assert_true(r.has_input);
    assert_false(r.links);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(questions_are_left_alone),
        cmocka_unit_test(no_room_in_cxx_of_gcc),
        cmocka_unit_test(compiling_does_not_link),
        cmocka_unit_test(linking_names_the_library),
        cmocka_unit_test(libraries_get_the_other_object),
        cmocka_unit_test(values_are_no_inputs),
        cmocka_unit_test(static_links),
        cmocka_unit_test(other_sanitizers),
        cmocka_unit_test(another_sanitizers_library),
        cmocka_unit_test(response_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
