/*
 * data_test.c: variables with a fixed place, of C and C++, global, in functions and in thread-local
 * storage: name, size, declaration, and the path to a byte inside. nm says where they are.
 */
#include "symbol/testbuild.h"

#include <errno.h>

#include "symbol/testdata/vars.h"

struct expected {
    const char *symbol; /* as nm -C gives it; "a|b": one of these */
    uint64_t at;        /* byte in the symbol */
    const char *name;
    uint64_t size;
    const char *member;   /* with the variable's name; for TLS without */
    const char *declared; /* text in the line of the declaration; "a|b": one of these */
};

static const struct expected of_c[] = {
    {"counter|counter_alias", 2, "counter", 4, "counter", "int counter"},
    {"accounts", 0, "accounts", 10 * sizeof(struct account), "accounts[0].id", "accounts[10];"},
    {"accounts", 3 * sizeof(struct account) + offsetof(struct account, balance) + 7, "accounts",
     10 * sizeof(struct account), "accounts[3].balance", "accounts[10];"},
    {"accounts", offsetof(struct account, limit[2].high), "accounts", 10 * sizeof(struct account),
     "accounts[0].limit[2].high", "accounts[10];"},
    {"accounts", offsetof(struct account, part[2]), "accounts", 10 * sizeof(struct account),
     "accounts[0].whole", "accounts[10];"},
    {"accounts", offsetof(struct account, balance) + 8, "accounts", 10 * sizeof(struct account),
     "accounts[0].small", "accounts[10];"},
    {"accounts", offsetof(struct account, balance) + 9, "accounts", 10 * sizeof(struct account),
     "accounts[0].large", "accounts[10];"},
    /* The hole after `id`. */
    {"accounts", sizeof(struct account) + 5, "accounts", 10 * sizeof(struct account), "accounts[1]",
     "accounts[10];"},
    {"grid", 22, "grid", 30, "grid[2][1]", "grid[3][5];"},
    {"where", 0, "where", 8, "where", "*where;"},
    {"flexible", 6, "flexible", 16, "flexible.text[2]", "} flexible"},
    {"calls_long.0|calls_long.1|count_calls.calls_long", 8, "calls_long", 16, "calls_long[1]",
     "calls_long[2]"},
};

static const struct expected tls_of_c[] = {
    {"tls_first", 0, "tls_first", 4, NULL, "int tls_first"},
    {"tls_account", 70, "tls_account", sizeof(struct account), "balance", "tls_account;"},
};

static const struct expected of_cxx[] = {
    {"bank::rate", 0, "bank::rate", 4, "bank::rate", "int rate"},
    {"bank::Shape::shapes", 0, "bank::Shape::shapes", 8, "bank::Shape::shapes",
     "Shape::shapes =|static long shapes"},
    {"bank::Shape::made", 0, "bank::Shape::made", 4, "bank::Shape::made", "made = 1;"},
    {"bank::(anonymous namespace)::hidden_box", 8, "bank::(anonymous namespace)::hidden_box", 32,
     "bank::(anonymous namespace)::hidden_box.corner.x", "hidden_box;"},
    {"bank::(anonymous namespace)::hidden_box", 28, "bank::(anonymous namespace)::hidden_box", 32,
     "bank::(anonymous namespace)::hidden_box.size[1].y", "hidden_box;"},
    {"bank::slot<short>", 2, "bank::slot<short>|bank::slot<short int>|bank::slot", 4,
     "bank::slot<short>[1]|bank::slot<short int>[1]|bank::slot[1]", "T slot[2]"},
    {"file_local", 8, "file_local", 12, "file_local[2]", "file_local[3]"},
    {"tick(int)::ticks", 3, "ticks", 4, "ticks", "static int ticks"},
};

static const struct expected tls_of_cxx[] = {
    {"bank::tls_point", 4, "bank::tls_point", 8, "y", "tls_point;"},
};

static bool is_one_of(const char *name, const char *list)
{
    size_t n = strlen(name);
    for (const char *p = list; *p; p += strcspn(p, "|"), p += *p == '|') {
        if (strcspn(p, "|") == n && strncmp(p, name, n) == 0)
            return true;
    }
    return false;
}

/* In what nm said of the last build. */
static bool find_symbol(const char *list, uint64_t *at)
{
    char line[512];
    unsigned long found, size;
    int name;
    bool ok = false;
    FILE *nm = fopen(built("prog.nm"), "r");
    assert_non_null(nm);
    while (fgets(line, sizeof line, nm)) {
        line[strcspn(line, "\n")] = '\0';
        if (sscanf(line, "%lx %lx %*c %n", &found, &size, &name) != 2)
            continue;
        if (!is_one_of(line + name, list))
            continue;
        *at = found;
        ok = true;
    }
    fclose(nm);
    return ok;
}

/* The first line of the file that has the text, which ends at '|' or at its end. */
static int line_of(const char *file, const char *text)
{
    char line[512], word[128] = "";
    FILE *in = fopen(file, "r");
    int n = 1;
    assert_non_null(in);
    assert_true(strlen(text) < sizeof word);
    memcpy(word, text, strcspn(text, "|"));
    while (fgets(line, sizeof line, in) && !strstr(line, word))
        n++;
    fclose(in);
    return n;
}

static bool is_declared(const char *file, const char *list, int line)
{
    const char *second = strchr(list, '|');
    return line == line_of(file, list) || (second && line == line_of(file, second + 1));
}

typedef int look_up(struct sn_symboliser *s, unsigned module, uint64_t offset,
                    struct sn_object *out);

static void check_member(struct sn_symboliser *s, unsigned module, uint64_t at, const char *list)
{
    char *member = sn_symbol_member(s, module, at);
    assert_non_null(member);
    if (!is_one_of(member, list))
        fail_msg("%s is called %s", list, member);
    free(member);
}

static void check(struct sn_symboliser *s, unsigned module, look_up *find, uint64_t at,
                  const struct expected *e, const char *src)
{
    struct sn_object o = {0};
    assert_int_equal(find(s, module, at + e->at, &o), 0);
    if (!is_one_of(o.name, e->name))
        fail_msg("%s is called %s", e->name, o.name);
    assert_int_equal(o.size, e->size);
    assert_true(o.has_offset);
    assert_int_equal(o.offset, e->at);
    if (src) {
        if (!o.file)
            fail_msg("%s has no source", o.name);
        assert_string_equal(o.file, src);
        assert_true(is_declared(src, e->declared, o.line));
    } else {
        assert_null(o.file);
    }
    if (src && find == sn_symbol_tls)
        assert_true(e->member ? strcmp(o.member, e->member) == 0 : !o.member);
    sn_object_clear(&o);
    if (src && find == sn_symbol_data)
        check_member(s, module, at + e->at, e->member);
}

/* `src` null: the program has no debug information any more, only symbols. */
static void check_all(const char *program, const struct expected *e, size_t n, look_up *find,
                      const char *src)
{
    uint64_t at;
    unsigned module;
    struct sn_symboliser *s = sn_symboliser_new();
    sn_symbol_module(s, program, NULL, 0, &module);
    for (size_t i = 0; i < n; i++) {
        if (!find_symbol(e[i].symbol, &at))
            fail_msg("%s is not in the program", e[i].symbol);
        check(s, module, find, at, &e[i], src);
    }
    sn_symboliser_free(s);
}

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const char *const flags[] = {
    "-O0 -gdwarf-4",
    "-O0 -gdwarf-5",
    "-O0 -gdwarf-4 -no-pie",
    "-O0 -g -gdwarf-4 -gsplit-dwarf",
    "-O0 -g -gdwarf-5 -gsplit-dwarf",
};

static void build(const char *cc, const char *with, const char *src)
{
    run("cd %s && %s %s -w -o prog %s && nm -SC --defined-only prog > prog.nm", dir(), cc, with,
        source(src));
}

static void variables_of_c(void **state)
{
    const char *const *cc = compilers(false);
    (void)state;
    for (size_t c = 0; cc[c]; c++) {
        for (size_t i = 0; has_tool(cc[c]) && i < COUNT(flags); i++) {
            build(cc[c], flags[i], "vars.c");
            const char *src = source("vars.c");
            check_all(built("prog"), of_c, COUNT(of_c), sn_symbol_data, src);
            check_all(built("prog"), tls_of_c, COUNT(tls_of_c), sn_symbol_tls, src);
        }
    }
}

static void variables_of_cxx(void **state)
{
    const char *const *cc = compilers(true);
    (void)state;
    for (size_t c = 0; cc[c]; c++) {
        for (size_t i = 0; has_tool(cc[c]) && i < COUNT(flags); i++) {
            build(cc[c], flags[i], "vars.cc");
            const char *src = source("vars.cc");
            check_all(built("prog"), of_cxx, COUNT(of_cxx), sn_symbol_data, src);
            check_all(built("prog"), tls_of_cxx, COUNT(tls_of_cxx), sn_symbol_tls, src);
        }
    }
}

static void separate_and_optimised(void **state)
{
    (void)state;
    build("gcc", "-O1 -g -flto", "vars.c");
    run("cd %s && objcopy --only-keep-debug prog lean.debug && strip -s -o lean prog && "
        "objcopy --add-gnu-debuglink=lean.debug lean",
        dir());
    const struct expected grid = {"grid|grid.lto_priv.0", 22,           "grid", 30,
                                  "grid[2][1]",           "grid[3][5];"};
    check_all(built("lean"), &grid, 1, sn_symbol_data, source("vars.c"));
    build("gcc", "-O1 -g -flto -fPIC", "vars.c");
    check_all(built("prog"), tls_of_c, 1, sn_symbol_tls, source("vars.c"));
}

static void only_symbols(void **state)
{
    (void)state;
    build("gcc", "-O0", "vars.c");
    check_all(built("prog"), of_c + 1, COUNT(of_c) - 1, sn_symbol_data, NULL);
    check_all(built("prog"), tls_of_c, COUNT(tls_of_c), sn_symbol_tls, NULL);
    build("g++", "-O0", "vars.cc");
    check_all(built("prog"), of_cxx, COUNT(of_cxx) - 1, sn_symbol_data, NULL);
}

/* Two static variables of one name in two functions are two variables. */
static void same_name_in_two_functions(void **state)
{
    struct symbol sym;
    struct sn_object o = {0};
    unsigned module;
    int lines = 0, found = 0;
    (void)state;
    build("gcc", "-O0 -g", "vars.c");
    struct sn_symboliser *s = sn_symboliser_new();
    sn_symbol_module(s, built("prog"), NULL, 0, &module);
    FILE *nm = open_symbols(built("prog"));
    while (read_symbol(nm, &sym)) {
        if (strncmp(sym.name, "calls.", 6) != 0)
            continue;
        assert_int_equal(sn_symbol_data(s, module, sym.at, &o), 0);
        assert_string_equal(o.name, "calls");
        lines += o.line;
        found++;
        sn_object_clear(&o);
    }
    pclose(nm);
    assert_int_equal(found, 2);
    int first = line_of(source("vars.c"), "static int calls;");
    int second = line_of(source("vars.c"), "count_others(int by)") + 2;
    assert_int_equal(lines, first + second);
    sn_symboliser_free(s);
}

static void nothing_at_other_places(void **state)
{
    struct sn_object o = {0};
    uint64_t at = 0;
    unsigned module;
    (void)state;
    build("gcc", "-O0 -g", "vars.c");
    struct sn_symboliser *s = sn_symboliser_new();
    sn_symbol_module(s, built("prog"), NULL, 0, &module);
    assert_true(find_symbol("main", &at));
    assert_int_equal(sn_symbol_data(s, module, at, &o), -ENOENT);
    assert_int_equal(sn_symbol_data(s, module, 0, &o), -ENOENT);
    assert_int_equal(sn_symbol_data(s, module, UINT64_MAX, &o), -ENOENT);
    assert_int_equal(sn_symbol_tls(s, module, 1 << 20, &o), -ENOENT);
    assert_int_equal(sn_symbol_data(s, module + 1, at, &o), -ENOENT);
    assert_null(sn_symbol_member(s, module, at));
    assert_null(o.name);
    sn_symboliser_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variables_of_c),
        cmocka_unit_test(variables_of_cxx),
        cmocka_unit_test(separate_and_optimised),
        cmocka_unit_test(only_symbols),
        cmocka_unit_test(same_name_in_two_functions),
        cmocka_unit_test(nothing_at_other_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
