/*
 * code_test.c: the frames of every byte of every function of small programs, in many builds,
 * against two peers on the same files: llvm-symbolizer (function, file, line, column, inlined
 * calls) and addr2line (function, file, line, inlined calls).
 */
#include "symbol/testbuild.h"

#include "symbol/module.h"

enum names {
    LINKAGE, /* as the linker knows them; for the outermost frame the ELF symbol */
    SHORT,   /* bare */
    NONE,    /* not compared */
};

struct peer {
    const char *tool, *command; /* program, addresses */
    bool columns, address_first;
    enum names names;
};

static const struct peer llvm_linkage = {
    "llvm-symbolizer", "llvm-symbolizer --obj=%s --functions=linkage --no-demangle < %s", true,
    false, LINKAGE};
static const struct peer llvm_short = {
    "llvm-symbolizer", "llvm-symbolizer --obj=%s --functions=short < %s", true, false, SHORT};
static const struct peer gnu_short = {"addr2line", "addr2line -e %s -f -i -a @%s", false, true,
                                      SHORT};
/* Where there is no linkage name, addr2line gives an inlined call the name of the symbol. */
static const struct peer gnu_places = {"addr2line", "addr2line -e %s -f -i -a @%s", false, true,
                                       NONE};

struct frame {
    char function[512], file[512];
    int line, column;
};

static void write_addresses(const char *program, const char *to)
{
    struct symbol s;
    FILE *out = fopen(to, "w"), *nm = open_symbols(program);
    assert_non_null(out);
    while (read_symbol(nm, &s)) {
        if (s.type != 't' && s.type != 'T' && s.type != 'W')
            continue;
        for (uint64_t at = s.at; at < s.at + s.size; at++)
            fprintf(out, "0x%lx\n", (unsigned long)at);
    }
    pclose(nm);
    fclose(out);
}

static void parse_place(char *text, struct frame *f)
{
    char *end = strstr(text, " (discriminator");
    if (end)
        *end = '\0';
    text[strcspn(text, "\n")] = '\0';
    f->line = f->column = 0;
    char *second = strrchr(text, ':');
    assert_non_null(second);
    *second++ = '\0';
    char *first = strrchr(text, ':');
    if (first && first[1] >= '0' && first[1] <= '9') {
        *first++ = '\0';
        f->line = atoi(first);
        f->column = atoi(second);
    } else {
        f->line = atoi(second);
    }
    snprintf(f->file, sizeof f->file, "%.511s", text);
}

/* `name` stands in `whole` as a word of its own: "deposit" in "bank::Account::deposit(int)". */
static bool has_word(const char *whole, const char *name)
{
    size_t n = strcspn(name, "<"); /* the arguments of templates are written in many ways */
    char word[512];
    snprintf(word, sizeof word, "%.*s", (int)n, name);
    for (const char *p = strstr(whole, word); p; p = strstr(p + 1, word)) {
        bool starts = p == whole || p[-1] == ':' || p[-1] == ' ';
        if (starts && (p[n] == '\0' || p[n] == '(' || p[n] == '<'))
            return true;
    }
    return false;
}

/* gcc gives no linkage name to local functions: there our names have no parameters, and the peer
 * takes the outermost one from the symbol, perhaps of a clone: the bare names must agree. */
static bool same_linkage(const char *ours, const char *theirs, bool outermost)
{
    char mangled[512];
    snprintf(mangled, sizeof mangled, "%.*s", (int)strcspn(theirs, "."), theirs);
    char *plain = sn_demangle(mangled);
    size_t n = strlen(ours), k = strlen(plain);
    bool same = strcmp(ours, plain) == 0 ||
                (n > k + 2 && strcmp(ours + n - k, plain) == 0 && ours[n - k - 1] == ':');
    if (!same && outermost)
        same = strncmp(plain, ours, n) == 0 && plain[n] == '(';
    if (!same && outermost)
        same = (strstr(ours, "apply<") || strstr(ours, "{lambda}")) && strstr(plain, "{lambda");
    free(plain);
    return same;
}

static bool same_function(const char *ours, const char *theirs, enum names names, bool outermost)
{
    if (names == NONE || strcmp(theirs, "??") == 0)
        return true;
    if (!ours)
        return false;
    return names == SHORT ? has_word(ours, theirs) : same_linkage(ours, theirs, outermost);
}

static bool same_place(const struct sn_frame *ours, const struct frame *theirs, bool columns)
{
    if (theirs->line == 0)
        return ours->line == 0;
    if (ours->line != theirs->line || !ours->file || strcmp(ours->file, theirs->file) != 0)
        return false;
    return !columns || ours->column == theirs->column;
}

static void check_frame(const struct sn_stack *ours, size_t i, const struct frame *theirs,
                        const struct peer *peer, const char *program, uint64_t at)
{
    const struct sn_frame *f = i < ours->n ? &ours->frame[i] : NULL;
    if (!f || !same_function(f->function, theirs->function, peer->names, i + 1 == ours->n) ||
        !same_place(f, theirs, peer->columns))
        fail_msg("%s 0x%lx frame %zu: %s %s:%d:%d but %s says %s %s:%d:%d", program,
                 (unsigned long)at, i, f && f->function ? f->function : "?",
                 f && f->file ? f->file : "?", f ? f->line : 0, f ? f->column : 0, peer->tool,
                 theirs->function, theirs->file, theirs->line, theirs->column);
}

struct answers {
    FILE *in;
    char line[1024];
    bool more;
};

static void next_line(struct answers *a)
{
    a->more = fgets(a->line, sizeof a->line, a->in) != NULL;
}

/* One address of the peer's answers; both peers write pairs of lines, llvm-symbolizer an empty line
 * after them, addr2line the address before. */
static void check_address(struct answers *a, struct sn_symboliser *s, unsigned module,
                          const struct peer *peer, const char *program, uint64_t at)
{
    struct sn_stack stack = {0};
    struct frame theirs;
    size_t n = 0;
    sn_symbol_code(s, module, at, false, &stack);
    if (peer->address_first)
        next_line(a);
    while (a->more && *a->line != '\n' && strncmp(a->line, "0x", 2) != 0) {
        a->line[strcspn(a->line, "\n")] = '\0';
        snprintf(theirs.function, sizeof theirs.function, "%.511s", a->line);
        next_line(a);
        assert_true(a->more);
        parse_place(a->line, &theirs);
        check_frame(&stack, n++, &theirs, peer, program, at);
        next_line(a);
    }
    if (!peer->address_first)
        next_line(a);
    if (n != stack.n)
        fail_msg("%s 0x%lx: %zu frames, %s has %zu", program, (unsigned long)at, stack.n,
                 peer->tool, n);
    for (size_t i = 0; i < stack.n; i++)
        assert_int_equal(stack.frame[i].inlined, i + 1 < stack.n);
    sn_stack_clear(&stack);
}

/* `whole` has symbols and debug information; `program` is what we open. */
static void compare(const struct peer *peer, const char *whole, const char *program)
{
    char command[2048];
    unsigned module;
    unsigned long at;
    size_t addresses = 0;
    const char *list = built("addresses");
    write_addresses(whole, list);
    snprintf(command, sizeof command, peer->command, whole, list);
    struct answers a = {.in = popen(command, "r")};
    FILE *in = fopen(list, "r");
    struct sn_symboliser *s = sn_symboliser_new();
    assert_int_equal(sn_symbol_module(s, program, NULL, 0, &module), 0);
    next_line(&a);
    while (fscanf(in, "%lx", &at) == 1) {
        check_address(&a, s, module, peer, program, at);
        addresses++;
    }
    assert_true(addresses > 300);
    assert_false(a.more);
    sn_symboliser_free(s);
    fclose(in);
    pclose(a.in);
}

static bool is_cxx; /* of the last build */

static void compare_llvm(const char *whole, const char *program)
{
    /* addr2line knows too little of clang's and of optimised builds to stand in. */
    if (!has_tool(llvm_linkage.tool))
        skip();
    compare(&llvm_linkage, whole, program);
    /* In C the names are the same. */
    if (is_cxx)
        compare(&llvm_short, whole, program);
}

/* All of the program's own functions are from this file. */
static void compare_places(const char *file)
{
    struct sn_stack stack = {0};
    struct symbol sym;
    unsigned module;
    int n = 0;
    struct sn_symboliser *s = sn_symboliser_new();
    sn_symbol_module(s, built("prog"), NULL, 0, &module);
    FILE *nm = open_symbols(built("prog"));
    while (read_symbol(nm, &sym)) {
        if (strcmp(sym.name, "outer") != 0 && strcmp(sym.name, "recurse") != 0)
            continue;
        for (uint64_t at = sym.at + 1; at < sym.at + sym.size; at++)
            sn_symbol_code(s, module, at, true, &stack);
    }
    pclose(nm);
    for (size_t i = 0; i < stack.n; i++) {
        if (stack.frame[i].line == 0)
            continue;
        assert_string_equal(stack.frame[i].file, file);
        n++;
    }
    assert_true(n > 100);
    sn_stack_clear(&stack);
    sn_symboliser_free(s);
}

static const char *build_in(const char *cc, const char *src, const char *flags)
{
    is_cxx = strstr(src, ".cc") != NULL;
    run("cd %s && %s %s -w -o prog %s", dir(), cc, flags, source(src));
    return built("prog");
}

static void each_flags(const char *const *cc, const char *src)
{
    static const char *const flags[] = {
        "-O0 -gdwarf-4", "-O2 -gdwarf-4",         "-O0 -gdwarf-5",
        "-O2 -gdwarf-5", "-O1 -gdwarf-5 -no-pie", "-O3 -g -ffunction-sections -Wl,--gc-sections",
    };
    for (int c = 0; cc[c]; c++) {
        if (!has_tool(cc[c]))
            continue;
        for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
            const char *program = build_in(cc[c], src, flags[i]);
            compare_llvm(program, program);
        }
    }
}

static void c_builds_agree_with_llvm(void **state)
{
    (void)state;
    each_flags(compilers(false), "calls.c");
}

static void cxx_builds_agree_with_llvm(void **state)
{
    (void)state;
    each_flags(compilers(true), "calls.cc");
}

static void gcc_builds_agree_with_addr2line(void **state)
{
    (void)state;
    const char *program = build_in("gcc", "calls.c", "-O2 -g");
    compare(&gnu_short, program, program);
    program = build_in("g++", "calls.cc", "-O2 -g");
    compare(&gnu_places, program, program);
}

static void split_dwarf(void **state)
{
    (void)state;
    const char *const *cxx = compilers(true);
    for (int c = 0; cxx[c]; c++) {
        if (!has_tool(cxx[c]))
            continue;
        for (int version = 4; version <= 5; version++) {
            char flags[128];
            snprintf(flags, sizeof flags, "-O2 -g -gdwarf-%d -gsplit-dwarf", version);
            run("rm -f %s/*.dwo", dir());
            const char *program = build_in(cxx[c], "calls.cc", flags);
            run("ls %s/*.dwo >/dev/null", dir());
            compare_llvm(program, program);
        }
    }
}

/* Whatever names a build gives to the compiler, the report has whole paths. */
static void relative_paths(void **state)
{
    const char *const *cc = compilers(false);
    (void)state;
    run("cd %s && mkdir -p sub/deep && cp %s sub/calls.c", dir(), source("calls.c"));
    for (int c = 0; cc[c]; c++) {
        if (!has_tool(cc[c]))
            continue;
        for (int version = 4; version <= 5; version++) {
            run("cd %s/sub && %s -O2 -gdwarf-%d -w -o ../prog ./calls.c", dir(), cc[c], version);
            compare_places(built("sub/calls.c"));
            run("cd %s/sub/deep && %s -O2 -gdwarf-%d -w -o ../../prog ../calls.c", dir(), cc[c],
                version);
            compare_places(built("sub/calls.c"));
        }
    }
}

static void link_time_optimised(void **state)
{
    (void)state;
    const char *program = build_in("gcc", "calls.c", "-O2 -g -flto");
    compare_llvm(program, program);
    program = build_in("g++", "calls.cc", "-O2 -g -flto");
    compare_llvm(program, program);
    if (!has_tool("clang") || !has_tool("ld.lld"))
        return;
    program = build_in("clang", "calls.c", "-O2 -g -flto -fuse-ld=lld");
    compare_llvm(program, program);
}

static void compressed_and_type_units(void **state)
{
    (void)state;
    const char *program = build_in("g++", "calls.cc", "-O2 -gdwarf-5 -gz -fdebug-types-section");
    compare_llvm(program, program);
    program = build_in("g++", "calls.cc", "-O2 -gdwarf-4 -fdebug-types-section");
    compare_llvm(program, program);
}

static void compressed_with_zstd(void **state)
{
    (void)state;
    const char *whole = build_in("g++", "calls.cc", "-O2 -g -Wl,--build-id");
    if (system("objcopy --help | grep -q zstd") != 0)
        skip();
    run("cd %s && objcopy --compress-debug-sections=zstd prog packed && readelf -SW packed | "
        "grep -q 'debug_info.* C '",
        dir());
    compare_llvm(whole, built("packed"));
    run("cd %s && objcopy --only-keep-debug packed apart.debug && strip -s -o apart packed && "
        "objcopy --add-gnu-debuglink=apart.debug apart",
        dir());
    compare_llvm(whole, built("apart"));
}

/* What does not unpack gives no lines, and does no harm. */
static void damaged_by_zstd(void **state)
{
    struct sn_build_id any = {.n = 0};
    (void)state;
    build_in("g++", "calls.cc", "-O2 -g");
    if (system("objcopy --help | grep -q zstd") != 0)
        skip();
    run("cd %s && objcopy --compress-debug-sections=zstd prog packed", dir());
    for (int at = 2000; at < 40000; at += 397) {
        struct sn_module m;
        run("cd %s && cp packed hurt && printf '\\377\\377\\377' | dd of=hurt bs=1 seek=%d "
            "conv=notrunc status=none",
            dir(), at);
        sn_module_open(&m, built("hurt"), &any);
        sn_module_need_dwarf(&m);
        sn_units_load(&m);
        sn_module_close(&m);
    }
}

static void debuglink(void **state)
{
    (void)state;
    const char *whole = build_in("g++", "calls.cc", "-O2 -g -Wl,--build-id");
    run("cd %s && mkdir -p .debug && objcopy --only-keep-debug prog .debug/lean.debug && "
        "strip -g -o lean prog && strip -s lean && objcopy --add-gnu-debuglink=.debug/lean.debug "
        "lean",
        dir());
    compare_llvm(whole, built("lean"));
    /* Without a build id the checksum decides. */
    whole = build_in("gcc", "calls.c", "-O2 -g -Wl,--build-id=none");
    run("cd %s && objcopy --only-keep-debug prog bare.debug && strip -s -o bare prog && "
        "objcopy --add-gnu-debuglink=bare.debug bare",
        dir());
    compare_llvm(whole, built("bare"));
}

static void debug_file_of_another_build(void **state)
{
    struct sn_stack stack = {0};
    struct symbol sym = {0};
    unsigned module;
    (void)state;
    build_in("gcc", "calls.c", "-O2 -g -Wl,--build-id=none");
    FILE *nm = open_symbols(built("prog"));
    while (read_symbol(nm, &sym) && strcmp(sym.name, "outer") != 0)
        ;
    pclose(nm);
    run("cd %s && objcopy --only-keep-debug prog wrong.debug && strip -s -o wrong prog && "
        "objcopy --add-gnu-debuglink=wrong.debug wrong && printf x >> wrong.debug",
        dir());
    struct sn_symboliser *s = sn_symboliser_new();
    sn_symbol_module(s, built("wrong"), NULL, 0, &module);
    sn_symbol_code(s, module, sym.at, false, &stack);
    assert_int_equal(stack.n, 1);
    assert_null(stack.frame[0].function);
    assert_null(stack.frame[0].file);
    assert_string_equal(stack.frame[0].module, "wrong");
    sn_stack_clear(&stack);
    sn_symboliser_free(s);
}

static void dwz_alternate_file(void **state)
{
    (void)state;
    if (!has_tool("dwz"))
        skip();
    run("cd %s && g++ -O2 -gdwarf-4 -o one %s && g++ -O2 -gdwarf-4 -o two %s && "
        "cp one whole && dwz -m common.dbg one two && readelf -SW one | grep -q debugaltlink",
        dir(), source("calls.cc"), source("calls.cc"));
    compare_llvm(built("whole"), built("one"));
}

static void find_outer(const char *program, struct symbol *sym)
{
    FILE *nm = open_symbols(program);
    while (read_symbol(nm, sym) && strcmp(sym->name, "outer") != 0)
        ;
    pclose(nm);
    assert_string_equal(sym->name, "outer");
}

static void only_symbols(void **state)
{
    struct sn_stack stack = {0};
    struct symbol sym = {0};
    unsigned module;
    (void)state;
    build_in("gcc", "calls.c", "-O2 -g -rdynamic");
    find_outer(built("prog"), &sym);
    run("cd %s && strip -g -o symtab prog && strip -s -o dynsym prog", dir());
    struct sn_symboliser *s = sn_symboliser_new();
    const char *const names[] = {"symtab", "dynsym"};
    for (int i = 0; i < 2; i++) {
        sn_symbol_module(s, built(names[i]), NULL, 0, &module);
        sn_symbol_code(s, module, sym.at + sym.size, true, &stack);
        assert_int_equal(stack.n, 1);
        assert_string_equal(stack.frame[0].function, "outer");
        assert_null(stack.frame[0].file);
        assert_int_equal(stack.frame[0].offset, sym.at + sym.size);
        sn_stack_clear(&stack);
    }
    sn_symboliser_free(s);
}

/* The file at the path is not the one that ran: nothing of it may be believed. */
static void build_id_decides(void **state)
{
    struct sn_stack stack = {0};
    struct symbol sym = {0};
    unsigned right, wrong, again;
    (void)state;
    const char *program = build_in("gcc", "calls.c", "-O0 -g -Wl,--build-id=0x0102030405060708");
    const uint8_t id[] = {1, 2, 3, 4, 5, 6, 7, 8}, other[] = {1, 2, 3, 4, 5, 6, 7, 9};
    find_outer(program, &sym);
    struct sn_symboliser *s = sn_symboliser_new();
    sn_symbol_module(s, program, id, sizeof id, &right);
    sn_symbol_module(s, program, other, sizeof other, &wrong);
    sn_symbol_module(s, program, id, sizeof id, &again);
    assert_int_equal(right, again);
    assert_int_not_equal(right, wrong);
    sn_symbol_code(s, right, sym.at, false, &stack);
    sn_symbol_code(s, wrong, sym.at, false, &stack);
    assert_int_equal(stack.n, 2);
    assert_string_equal(stack.frame[0].function, "outer");
    assert_null(stack.frame[1].function);
    assert_string_equal(stack.frame[1].module, "prog");
    sn_stack_clear(&stack);
    sn_symboliser_free(s);
}

static void nothing_there(void **state)
{
    struct sn_stack stack = {0};
    unsigned module;
    (void)state;
    struct sn_symboliser *s = sn_symboliser_new();
    assert_int_equal(sn_symbol_module(s, "/nowhere/linux-vdso.so.1", NULL, 0, &module), 0);
    sn_symbol_code(s, module, 0x1234, true, &stack);
    sn_symbol_code(s, module, 0, true, &stack);
    sn_symbol_code(s, module + 7, 5, true, &stack);
    assert_int_equal(stack.n, 3);
    assert_string_equal(stack.frame[0].module, "linux-vdso.so.1");
    assert_int_equal(stack.frame[0].offset, 0x1234);
    assert_null(stack.frame[0].function);
    assert_null(stack.frame[2].module);
    sn_stack_clear(&stack);
    sn_symboliser_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(c_builds_agree_with_llvm),
        cmocka_unit_test(cxx_builds_agree_with_llvm),
        cmocka_unit_test(gcc_builds_agree_with_addr2line),
        cmocka_unit_test(split_dwarf),
        cmocka_unit_test(relative_paths),
        cmocka_unit_test(link_time_optimised),
        cmocka_unit_test(compressed_and_type_units),
        cmocka_unit_test(compressed_with_zstd),
        cmocka_unit_test(damaged_by_zstd),
        cmocka_unit_test(debuglink),
        cmocka_unit_test(debug_file_of_another_build),
        cmocka_unit_test(dwz_alternate_file),
        cmocka_unit_test(only_symbols),
        cmocka_unit_test(build_id_decides),
        cmocka_unit_test(nothing_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
