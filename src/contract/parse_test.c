/* parse_test.c: contract files: what is understood, and that everything else is an error with its
 * line; and the flat form. */
#include "contract/contract.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static void expect_error(const char *text, const char *words)
{
    struct sn_contracts c = {0};
    char *why = NULL;
    assert_int_equal(sn_contracts_read_text(&c, "x.contract", text, &why), -EINVAL);
    assert_non_null(why);
    if (!strstr(why, words))
        fail_msg("'%s' does not say '%s'", why, words);
    free(why);
    sn_contracts_free(&c);
}

static void expect_good(struct sn_contracts *c, const char *text)
{
    char *why = NULL;
    if (sn_contracts_read_text(c, "dir/x.contract", text, &why) != 0)
        fail_msg("%s", why);
    assert_null(why);
}

static void errors_name_the_line(void **state)
{
    (void)state;
    expect_error("", "x.contract:1: the file must begin with 'library NAME'");
    expect_error("# only\n\nuse T 1: f\n", "x.contract:3: the file must begin");
    expect_error("library a\nfoo bar\n", "x.contract:2: unknown key 'foo'");
    expect_error("library a\n\n# c\nuse T 1: f\n", "x.contract:4: 'T' is neither");
    expect_error("library a\ntype T\nuse T 7: f\n", "x.contract:3: an argument is 1 to 6");
    expect_error("library a\ntype T\nuse T 1\n", "x.contract:3: a rule ends with");
    expect_error("library a\ntype T\nuse T 1:\n", "names no function");
    expect_error("library a\ntype T\nuse T 1 whenever x: f\n", "unknown key 'whenever'");
    expect_error("library a\ntype T\nuse T 1 when m: f\n", "mode 'm' is not described");
    expect_error("library a\ntype T\ntype T\n", "x.contract:3: T is described twice");
    expect_error("library a\ntype T -> R call f\n", "root type 'R' is not described");
    expect_error("library a\ntype R\ntype T -> R by f\n", "needs 'call FUNCTION' or 'load OFFSET'");
    expect_error("library a\ntype T roles s\nrole r T 1: f\n", "'r' is no role of 'T'");
    expect_error("library a\nmode m call f ~ 3\n", "is no comparison");
    expect_error("library a\nmode m asks f == 1\n", "not 'asks'");
    expect_error("library a\nmode m ask == 1\n", "a function is expected, not '=='");
    expect_error("library a\nmode m field x == 1\n", "a number is expected, not 'x'");
    expect_error("library a\nmode m call f at == 1\n", "a number is expected, not '=='");
    expect_error("library a\nmode m mark x\n", "'x' is not expected here");
    expect_error("library a\ntype T\nacquire T 1 long: f\n", "unknown key 'long'");
    expect_error("library a\nlibc bsd\n", "glibc or musl");
    expect_error("library a\nlibrary b\n", "one 'library' line");
    expect_error("library a\ntype T\nuse T 1: f; g\n", "'f;' is no function");
}

static void lines_that_go_on_are_counted(void **state)
{
    (void)state;
    expect_error("library a\ntype T\nuse T 1: f \\\n  g \\\n  h\nbad\n",
                 "x.contract:6: unknown key");
}

static const struct sn_contract_entry *find(const struct sn_contract_file *f, const char *name)
{
    const struct sn_contract_entry *e = SN_CONTRACT_AT(f, sn_contract_entry, f->entries);
    for (uint32_t i = 0; i < f->nentries; i++)
        if (strcmp(SN_CONTRACT_TEXT(f, e[i].name), name) == 0)
            return &e[i];
    return NULL;
}

static void flat_form_has_what_was_said(void **state)
{
    (void)state;
    struct sn_contracts c = {0};
    size_t bytes;
    expect_good(&c, "library lib # comment\n"
                    "soname libx.so.1 libx.so.2\n"
                    "type root\n"
                    "type leaf -> root call leaf_root -7\n"
                    "state env\n"
                    "mode old has gone\n"
                    "write root 2 if 3 & 0x10 unless old: zebra alpha\n"
                    "read leaf *1: alpha\n"
                    "read env: getter\n"
                    "write env: setter\n"
                    "exempt: zebra\n");
    struct sn_contract_file *f = sn_contracts_compile(&c, false, &bytes);
    assert_true(f->magic == SN_CONTRACT_MAGIC);
    assert_int_equal(f->bytes, bytes);
    assert_int_equal(f->nentries, 3);
    assert_null(find(f, "zebra"));
    const struct sn_contract_entry *alpha = find(f, "alpha"), *getter = find(f, "getter");
    const struct sn_contract_effect *e = SN_CONTRACT_AT(f, sn_contract_effect, f->effects);
    assert_int_equal(alpha->neffects, 2);
    assert_int_equal(alpha->flags, 0);
    assert_int_equal(getter->flags, SN_ENTRY_LAZY);
    assert_int_equal(find(f, "setter")->flags, 0);
    e += alpha->first_effect;
    assert_int_equal(e[0].does, SN_CB_WRITE);
    assert_int_equal(e[0].conflicts, SN_CB_ALL);
    assert_int_equal(e[0].arg, 2);
    assert_int_equal(e[0].test, SN_TEST_AND);
    assert_int_equal(e[0].test_arg, 3);
    assert_true(e[0].value == 0x10);
    assert_int_equal(e[0].mode, 1);
    assert_int_equal(e[0].mode_not, 1);
    assert_int_equal(e[0].line, 7);
    assert_int_equal(e[1].load, 1);
    const struct sn_contract_object *o =
        SN_CONTRACT_AT(f, sn_contract_object, f->objects) + e[1].object;
    assert_int_equal(o->map, SN_MAP_CALL);
    assert_true(o->map_value == -7);
    assert_int_equal(o->root, e[0].object);
    const struct sn_contract_library *l = SN_CONTRACT_AT(f, sn_contract_library, f->libraries);
    assert_string_equal(SN_CONTRACT_TEXT(f, l->file), "x.contract");
    assert_int_equal(l->nsonames, 2);
    assert_string_equal(SN_CONTRACT_TEXT(f, l->sonames) + 10, "libx.so.2");
    free(f);
    sn_contracts_free(&c);
}

static void roles_are_bits(void **state)
{
    (void)state;
    struct sn_contracts c = {0};
    expect_good(&c,
                "library lib\ntype p roles in out\nrole in p 1: a\nrole out p 1: b\nuse p 1: c\n");
    const struct sn_contract_effect *a = &c.rule[0].effect, *b = &c.rule[1].effect;
    const struct sn_contract_effect *w = &c.rule[2].effect;
    assert_true(a->does & a->conflicts);
    assert_false(a->does & b->conflicts);
    assert_false(b->does & a->conflicts);
    assert_true(a->does & w->conflicts);
    assert_true(w->does & a->conflicts);
    sn_contracts_free(&c);
}

/* What may not overlap is for `snag run`, what orders threads for the others. */
static void order_is_apart(void **state)
{
    (void)state;
    struct sn_contracts c = {0};
    size_t bytes;
    expect_good(&c, "library lib\n"
                    "type T\n"
                    "key K\n"
                    "use T 1: f\n"
                    "lock T 1+8 try shared if result != 0: f\n"
                    "send K 1,*2: give_*\n"
                    "callback done 3 at 16 of 24: give_*\n"
                    "receive K self,outer1: @done\n"
                    "acquire T 1 : both\n");
    struct sn_contract_file *run = sn_contracts_compile(&c, false, &bytes);
    struct sn_contract_file *order = sn_contracts_compile(&c, true, &bytes);
    assert_int_equal(run->nentries, 2);
    assert_int_equal(find(run, "f")->neffects, 1);
    assert_int_equal(order->nentries, 4);
    const struct sn_contract_effect *e = SN_CONTRACT_AT(order, sn_contract_effect, order->effects);
    const struct sn_contract_effect *lock = e + find(order, "f")->first_effect;
    assert_int_equal(lock->act, SN_ACT_LOCK);
    assert_int_equal(lock->offset, 8);
    assert_int_equal(lock->how, SN_HOW_TRY | SN_HOW_SHARED);
    assert_int_equal(lock->test_arg, SN_ARG_RESULT);
    const struct sn_contract_entry *give = find(order, "give_*"), *done = find(order, "@done");
    assert_int_equal(give->flags, SN_ENTRY_LONG); /* the callback looks at its arguments */
    assert_int_equal(done->flags, SN_ENTRY_CALLBACK);
    assert_int_equal(e[give->first_effect].arg2, 2);
    assert_int_equal(e[give->first_effect].load2, 1);
    const struct sn_contract_effect *callback = &e[give->first_effect + 1];
    assert_ptr_equal(
        SN_CONTRACT_AT(order, sn_contract_entry, order->entries) + callback->callback - 1, done);
    assert_int_equal(callback->callback_bytes, 24);
    assert_int_equal(e[done->first_effect].arg, SN_ARG_SELF);
    assert_int_equal(e[done->first_effect].arg2, SN_ARG_OUTER + 1);
    assert_int_equal(find(order, "both")->flags, SN_ENTRY_LONG);
    free(run);
    free(order);
    sn_contracts_free(&c);
}

/* Callbacks that are changed where they lie; an unlock of whatever is held. */
static void order_in_place(void **state)
{
    (void)state;
    struct sn_contracts c = {0};
    size_t bytes;
    expect_good(&c, "library lib\n"
                    "type T\n"
                    "unlock T 1 any: f\n"
                    "callback done 2 at 24: give\n"
                    "virtual done 1 5: post\n"
                    "method once 1 5: spawn\n"
                    "acquire T 1: @done @once\n");
    struct sn_contract_file *order = sn_contracts_compile(&c, true, &bytes);
    const struct sn_contract_effect *e = SN_CONTRACT_AT(order, sn_contract_effect, order->effects);
    assert_int_equal(e[find(order, "f")->first_effect].how, SN_HOW_ANY);
    const struct sn_contract_effect *give = e + find(order, "give")->first_effect;
    assert_int_equal(give->act, SN_ACT_CALLBACK);
    assert_int_equal(give->how, SN_HOW_IN_PLACE);
    assert_int_equal(give->offset, 24);
    assert_int_equal(give->callback_bytes, 0);
    const struct sn_contract_effect *post = e + find(order, "post")->first_effect;
    assert_int_equal(post->act, SN_ACT_METHOD);
    assert_int_equal(post->how, SN_HOW_IN_PLACE);
    assert_int_equal(find(order, "@done")->flags, SN_ENTRY_CALLBACK); /* its table stays */
    assert_int_equal(find(order, "@once")->flags, SN_ENTRY_CALLBACK | SN_ENTRY_METHOD);
    free(order);
    sn_contracts_free(&c);
}

static void order_has_errors(void **state)
{
    (void)state;
    expect_error("library a\ncallback done 1: f\n", "x.contract:2: no rule is about @done");
    expect_error("library a\ntype T\nlock T 1,2: f\n", "x.contract:3: '2' does not follow");
    expect_error("library a\nkey T\nlock T 1+8: f\n", "x.contract:3: '8' does not follow");
    expect_error("library a\ntype T\nlock T outer7: f\n", "x.contract:3: an argument is");
    expect_error("library a\ntype T\nuse T 1 try: f\n", "x.contract:3: unknown key 'try'");
    expect_error("library a\ntype T\nmode m has x\nlock T 1 when m: f\n",
                 "x.contract:4: what orders");
    expect_error("library a\ncallback d 1 at 8 of 8: f\n", "x.contract:2: 'at OFFSET");
    expect_error("library a\ntype T\nlock T 1: @\n", "x.contract:3: '@' is no function");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_is_apart),
        cmocka_unit_test(order_in_place),
        cmocka_unit_test(order_has_errors),
        cmocka_unit_test(errors_name_the_line),
        cmocka_unit_test(lines_that_go_on_are_counted),
        cmocka_unit_test(flat_form_has_what_was_said),
        cmocka_unit_test(roles_are_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
