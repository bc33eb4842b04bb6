/*
 * elf_test.c: the facts of elf.h, for programs built in the ways that people build them.
 */
#include "symbol/testbuild.h"

#include <errno.h>

#include "symbol/elf.h"

static struct sn_elf_facts probe(const char *build)
{
    struct sn_elf_facts facts;
    run("cd %s && %s %s", dir(), build, source("calls.c"));
    assert_int_equal(sn_elf_probe(built("prog"), &facts), 0);
    assert_true(facts.x86_64);
    return facts;
}

static void plain_programs(void **state)
{
    (void)state;
    struct sn_elf_facts f = probe("gcc -g -pie -fPIE -Wl,--build-id=0x0102030405060708 -o prog");
    assert_true(f.program && f.pie && f.has_debug_info);
    assert_false(f.is_static || f.instrumented || f.own_tsan || f.needs_libsnag || f.needs_libtsan || f.needs_libasan);
    assert_int_equal(f.build_id_bytes, 8);
    assert_memory_equal(f.build_id, "\1\2\3\4\5\6\7\10", 8);
    f = probe("gcc -no-pie -fno-pie -Wl,--build-id=none -o prog");
    assert_true(f.program);
    assert_false(f.pie || f.has_debug_info || f.is_static);
    assert_int_equal(f.build_id_bytes, 0);
}

static void static_programs(void **state)
{
    (void)state;
    struct sn_elf_facts f = probe("gcc -static -o prog");
    assert_true(f.program && f.is_static);
    assert_false(f.pie);
    f = probe("gcc -static-pie -fPIE -o prog");
    assert_true(f.program && f.is_static && f.pie);
}

static void programs_that_load(void **state)
{
    (void)state;
    assert_false(probe("gcc -Ddlopen_is_named_here=1 -o prog").loads);
    run("cd %s && echo '#include <dlfcn.h>\nint main(void){return dlopen(0, 1) == 0;}' | "
        "gcc -x c -o loads - && strip -s loads",
        dir());
    struct sn_elf_facts f;
    assert_int_equal(sn_elf_probe(built("loads"), &f), 0);
    assert_true(f.loads);
}

static void libraries(void **state)
{
    (void)state;
    struct sn_elf_facts f = probe("gcc -shared -fPIC -o prog");
    assert_false(f.program || f.pie || f.is_static);
    f = probe("gcc -c -fsanitize=thread -o prog");
    assert_true(f.instrumented);
    assert_false(f.program || f.own_tsan);
}

static void instrumented_programs(void **state)
{
    (void)state;
    run("cd %s && gcc -D_GNU_SOURCE -shared -fPIC -Wl,-soname,libsnag.so.0 -o libsnag.so %s", dir(),
        source("hooks.c"));
    struct sn_elf_facts f = probe("gcc -O1 -w -fsanitize=thread -c -o prog.o");
    run("cd %s && gcc -pie -o prog prog.o -L. -lsnag", dir());
    assert_int_equal(sn_elf_probe(built("prog"), &f), 0);
    assert_true(f.program && f.instrumented && f.needs_libsnag);
    assert_false(f.own_tsan || f.needs_libtsan);
    /* Nothing but the dynamic symbols is left. */
    run("cd %s && strip -s prog", dir());
    assert_int_equal(sn_elf_probe(built("prog"), &f), 0);
    assert_true(f.instrumented && f.needs_libsnag);
    assert_false(f.has_debug_info);
}

static void instrumented_by_sanitizers(void **state)
{
    struct sn_elf_facts f;
    (void)state;
    if (system("echo 'int main(void){return 0;}' | gcc -x c -fsanitize=thread -o /dev/null - "
               "2>/dev/null") == 0) {
        f = probe("gcc -fsanitize=thread -o prog");
        assert_true(f.instrumented && f.needs_libtsan);
        assert_false(f.own_tsan);
    }
    if (system("echo 'int main(void){return 0;}' | clang -x c -fsanitize=thread -o /dev/null - "
               "2>/dev/null") == 0) {
        f = probe("clang -fsanitize=thread -o prog");
        assert_true(f.instrumented && f.own_tsan);
        assert_false(f.needs_libtsan);
    }
}

static void separate_debug_info(void **state)
{
    (void)state;
    struct sn_elf_facts f = probe("gcc -g -o prog");
    run("cd %s && objcopy --only-keep-debug prog prog.debug && strip -s prog && "
        "objcopy --add-gnu-debuglink=prog.debug prog",
        dir());
    assert_int_equal(sn_elf_probe(built("prog"), &f), 0);
    assert_true(f.has_debug_info);
    run("rm %s", built("prog.debug"));
    assert_int_equal(sn_elf_probe(built("prog"), &f), 0);
    assert_false(f.has_debug_info);
}

static void other_files(void **state)
{
    struct sn_elf_facts f;
    (void)state;
    run("printf '#!/bin/sh\\n' > %s && : > %s && mkfifo %s", built("script"), built("empty"),
        built("pipe"));
    assert_int_equal(sn_elf_probe(built("script"), &f), -ENOEXEC);
    assert_int_equal(sn_elf_probe(built("empty"), &f), -ENOEXEC);
    assert_int_equal(sn_elf_probe(built("pipe"), &f), -ENOEXEC);
    assert_int_equal(sn_elf_probe(built("missing"), &f), -ENOENT);
    assert_int_equal(sn_elf_probe(dir(), &f), -EISDIR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_programs),        cmocka_unit_test(static_programs),
        cmocka_unit_test(programs_that_load),    cmocka_unit_test(libraries),
        cmocka_unit_test(instrumented_programs), cmocka_unit_test(instrumented_by_sanitizers),
        cmocka_unit_test(separate_debug_info),   cmocka_unit_test(other_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
