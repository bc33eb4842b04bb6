/*
 * local_test.c: variables on the stack, with the registers and addresses of programs that really
 * ran: testdata/locals.c tells, through testdata/hooks.c, where its variables are.
 */
#include "symbol/testbuild.h"

#include <errno.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* One line of the program: where it was, its registers, the address, "name+offset/size=member" or
 * "?". */
struct told {
    unsigned long pc, rsp, rbp, addr;
    char expect[64];
};

/* How many of the variables were found; a wrong one fails. */
static int check_line(struct sn_symboliser *s, unsigned module, const struct told *t)
{
    struct sn_object o = {0};
    char found[128];
    int result = sn_symbol_local(s, module, t->pc, t->rsp, t->rbp, t->addr, &o);
    if (result != 0) {
        assert_int_equal(result, -ENOENT);
        return 0;
    }
    snprintf(found, sizeof found, "%s+%lu/%lu%s%s", o.name, (unsigned long)o.offset,
             (unsigned long)o.size, o.member ? "=" : "", o.member ? o.member : "");
    if (strcmp(found, t->expect) != 0)
        fail_msg("0x%lx: %s, but it is %s", t->pc, found, t->expect);
    assert_int_equal(o.kind, SN_OBJ_STACK);
    assert_string_equal(o.file, source("locals.c"));
    assert_true(o.line > 0);
    sn_object_clear(&o);
    return 1;
}

struct score {
    int variables, found;
};

static struct score check_run(const char *program)
{
    struct score score = {0};
    struct told t;
    unsigned module;
    char line[512];
    struct sn_symboliser *s = sn_symboliser_new();
    sn_symbol_module(s, program, NULL, 0, &module);
    FILE *in = popen(program, "r");
    while (fgets(line, sizeof line, in)) {
        assert_int_equal(
            sscanf(line, "%lx %lx %lx %lx %63s", &t.pc, &t.rsp, &t.rbp, &t.addr, t.expect), 5);
        score.found += check_line(s, module, &t);
        score.variables += strcmp(t.expect, "?") != 0;
    }
    assert_int_equal(pclose(in), 0);
    sn_symboliser_free(s);
    assert_int_equal(score.variables, 16);
    return score;
}

static void build_hooks(void)
{
    static bool done;
    if (!done)
        run("cd %s && gcc -D_GNU_SOURCE -O1 -fPIC -w -c %s -o hooks.o && gcc -shared -o "
            "libhooks.so "
            "hooks.o -ldl",
            dir(), source("hooks.c"));
    done = true;
}

/* The hooks are in a library, reached through the PLT or the GOT, or in the program itself. */
static struct score build_and_run(const char *cc, const char *flags, bool shared_hooks)
{
    const char *hooks = shared_hooks ? "-L. -lhooks" : "hooks.o";
    build_hooks();
    run("cd %s && %s %s -w -fsanitize=thread -c %s -o locals.o", dir(), cc, flags,
        source("locals.c"));
    run("cd %s && %s %s -rdynamic -o prog locals.o %s -Wl,-rpath,%s", dir(), cc,
        strstr(flags, "-no-pie") ? "-no-pie" : "-pie", hooks, dir());
    return check_run(built("prog"));
}

/* `lost`: variables that the compiler may leave without a place; it may never be a wrong name. */
static void found_but(int lost, const char *flags)
{
    const char *const *cc = compilers(false);
    bool shared = strstr(flags, "-no-pie") == NULL;
    for (size_t c = 0; cc[c]; c++) {
        if (!has_tool(cc[c]))
            continue;
        struct score score = build_and_run(cc[c], flags, shared);
        if (score.found < score.variables - lost)
            fail_msg("%s %s: %d of %d variables found", cc[c], flags, score.found, score.variables);
    }
}

static void all_found(const char *flags)
{
    found_but(0, flags);
}

static void not_optimised(void **state)
{
    (void)state;
    all_found("-O0 -gdwarf-5 -fPIE");
    all_found("-O0 -gdwarf-4 -fPIE");
    all_found("-O0 -g -no-pie -fno-pie");
}

/* clang from 19 on gives no place to a variable in a loop. */
static void optimised(void **state)
{
    (void)state;
    found_but(2, "-O1 -gdwarf-5 -fPIE");
    found_but(2, "-O2 -gdwarf-5 -fPIE");
    found_but(2, "-O2 -gdwarf-5 -no-pie -fno-pie");
    found_but(2, "-O2 -gdwarf-4 -fPIE -fno-plt");
    found_but(2, "-O2 -g -fPIE -fno-omit-frame-pointer");
}

static void unwind_rules_in_debug_frame(void **state)
{
    (void)state;
    all_found("-O0 -g -fPIE -fno-asynchronous-unwind-tables");
    found_but(2, "-O2 -g -fPIE -fno-asynchronous-unwind-tables");
}

static void split_dwarf(void **state)
{
    (void)state;
    all_found("-O0 -gdwarf-5 -gsplit-dwarf -g -fPIE");
    all_found("-O0 -gdwarf-4 -gsplit-dwarf -g -fPIE");
    found_but(2, "-O2 -gdwarf-5 -gsplit-dwarf -g -fPIE");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(not_optimised),
        cmocka_unit_test(optimised),
        cmocka_unit_test(unwind_rules_in_debug_frame),
        cmocka_unit_test(split_dwarf),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
