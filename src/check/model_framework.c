/*
 * model_framework.c: unit-test frameworks: cmocka, Check, Unity. Their main() hands test functions to the
 * library, which calls them; here that is done one after the other, with what sets them up and tears
 * them down. Assertions have no effect: what a test expects is not what is looked for.
 */
#include <string.h>

#include "check/lib.h"

#define PLANNED 512u

struct planned {
    uint64_t func;
    struct sn_reg arg;
    bool has_arg;
};

/* Calls to come, in order. Check registers first and runs later; the others run at once. */
struct sn_test_plan {
    uint32_t n;
    struct planned call[PLANNED];
    uint32_t nfixture;
    struct {
        uint64_t test_case, setup, teardown;
    } fixture[64];
    uint32_t ntest;
    struct {
        uint64_t test_case, func;
        uint32_t index;
    } test[PLANNED];
};

static struct sn_test_plan *plan_of(struct sn_vm *vm)
{
    if (vm->lib->tests == NULL)
        vm->lib->tests = sn_run_arena_take(&vm->arena, sizeof *vm->lib->tests);
    return vm->lib->tests;
}

static void plan(struct sn_test_plan *p, uint64_t func, bool has_arg, uint64_t arg)
{
    if (func != 0 && p->n < PLANNED)
        p->call[p->n++] = (struct planned){func, {arg, 0}, has_arg};
}

static enum sn_result run_step(struct sn_vm *vm, struct sn_task *t, struct sn_continuation *k, struct sn_reg result)
{
    const struct sn_test_plan *p = vm->lib->tests;
    (void)result;
    if (k->n[0] >= p->n)
        return SN_DONE;
    const struct planned *c = &p->call[k->n[0]++];
    return sn_call_back(vm, t, c->func, &c->arg, c->has_arg ? 1 : 0);
}

static enum sn_result run_plan(struct sn_call *c)
{
    sn_push_continuation(c->t, run_step, c->dst);
    return SN_IMMEDIATE;
}

/* --- cmocka: _cmocka_run_group_tests(name, tests, n, setup, teardown) --- */

enum { CM_FUNC = 8, CM_SETUP = 16, CM_TEARDOWN = 24, CM_STATE = 32, CM_BYTES = 40 };

static enum sn_result m_cmocka(struct sn_call *c)
{
    struct sn_reg tests = sn_arg(c, 1), n = sn_arg(c, 2);
    struct sn_test_plan *p = plan_of(c->vm);
    uint64_t group = sn_simmem_take(&c->vm->mem, 8, 16, 0);
    if ((tests.u | n.u) != 0 || group == 0 || n.v > PLANNED || !sn_usable(c->vm, c->t, tests, n.v * CM_BYTES, false))
        return sn_return(c, 0);
    p->n = 0;
    plan(p, sn_arg(c, 3).v, true, group);
    for (uint64_t k = 0; k < n.v; k++) {
        uint64_t at = tests.v + k * CM_BYTES, initial = sn_peek(c->vm, at + CM_STATE, 8), state = group;
        if (initial != 0 && (state = sn_simmem_take(&c->vm->mem, 8, 16, 0)) != 0)
            sn_poke(c->vm, state, 8, initial);
        plan(p, sn_peek(c->vm, at + CM_SETUP, 8), true, state);
        plan(p, sn_peek(c->vm, at + CM_FUNC, 8), true, state);
        plan(p, sn_peek(c->vm, at + CM_TEARDOWN, 8), true, state);
    }
    plan(p, sn_arg(c, 4).v, true, group);
    return run_plan(c);
}

/* --- Check: _tcase_add_test(case, test, signal, status, start, end), srunner_run_all(runner, mode) --- */

enum { CHECK_FUNC = 8 };

static enum sn_result m_new(struct sn_call *c)
{
    return sn_return(c, sn_simmem_take(&c->vm->mem, 16, 16, 0));
}

static enum sn_result m_add_test(struct sn_call *c)
{
    struct sn_test_plan *p = plan_of(c->vm);
    uint64_t func = sn_peek(c->vm, sn_arg(c, 1).v + CHECK_FUNC, 8);
    uint64_t from = sn_arg(c, 4).v & UINT32_MAX, to = sn_arg(c, 5).v & UINT32_MAX;
    if (sn_func_at(c->vm->code, sn_arg(c, 1).v) != SN_NONE) /* before Check 0.13: the function itself, its name */
        func = sn_arg(c, 1).v, from = sn_arg(c, 5).v & UINT32_MAX, to = sn_arg(c, 6).v & UINT32_MAX;
    for (; from < to && p->ntest < PLANNED; from++) {
        p->test[p->ntest].test_case = sn_arg(c, 0).v;
        p->test[p->ntest].func = func;
        p->test[p->ntest++].index = (uint32_t)from;
    }
    return SN_DONE;
}

static enum sn_result m_add_fixture(struct sn_call *c)
{
    struct sn_test_plan *p = plan_of(c->vm);
    if (p->nfixture < 64) {
        p->fixture[p->nfixture].test_case = sn_arg(c, 0).v;
        p->fixture[p->nfixture].setup = sn_arg(c, 1).v;
        p->fixture[p->nfixture++].teardown = sn_arg(c, 2).v;
    }
    return SN_DONE;
}

static enum sn_result m_run_all(struct sn_call *c)
{
    struct sn_test_plan *p = plan_of(c->vm);
    p->n = 0;
    for (uint32_t k = 0; k < p->ntest; k++) {
        for (uint32_t f = 0; f < p->nfixture; f++)
            if (p->fixture[f].test_case == p->test[k].test_case)
                plan(p, p->fixture[f].setup, false, 0);
        plan(p, p->test[k].func, true, p->test[k].index);
        for (uint32_t f = p->nfixture; f-- > 0;)
            if (p->fixture[f].test_case == p->test[k].test_case)
                plan(p, p->fixture[f].teardown, false, 0);
    }
    return run_plan(c);
}

/* --- Unity: UnityDefaultTestRun(function, name, line) --- */

static uint64_t defined(const struct sn_vm *vm, const char *name)
{
    uint32_t f = sn_bytecode_find(vm->code, name);
    return f != SN_NONE && vm->code->func[f].entry != SN_NONE ? sn_func_addr(f) : 0;
}

static enum sn_result m_unity(struct sn_call *c)
{
    struct sn_test_plan *p = plan_of(c->vm);
    p->n = 0;
    plan(p, defined(c->vm, "setUp"), false, 0);
    plan(p, sn_arg(c, 0).v, false, 0);
    plan(p, defined(c->vm, "tearDown"), false, 0);
    return run_plan(c);
}

/* --- assertions --- */

static enum sn_result m_nothing(struct sn_call *c)
{
    return sn_return(c, 0);
}

/* A failed assertion leaves the test; what it would have done is not known. */
static enum sn_result m_failed(struct sn_call *c)
{
    c->vm->stop_reason = "a test failed";
    return SN_END;
}

static const struct sn_model models[] = {
    {"_cmocka_run_group_tests", m_cmocka, 0, 0},
    {"_assert_true", m_nothing, 0, 0}, {"_assert_int_equal", m_nothing, 0, 0},
    {"_assert_int_not_equal", m_nothing, 0, 0}, {"_assert_string_equal", m_nothing, 0, 0},
    {"_assert_string_not_equal", m_nothing, 0, 0}, {"_assert_memory_equal", m_nothing, 0, 0},
    {"_assert_memory_not_equal", m_nothing, 0, 0}, {"_assert_in_range", m_nothing, 0, 0},
    {"_assert_not_in_range", m_nothing, 0, 0}, {"_assert_in_set", m_nothing, 0, 0},
    {"_assert_not_in_set", m_nothing, 0, 0}, {"_assert_return_code", m_nothing, 0, 0},
    {"_assert_float_equal", m_nothing, 0, 0}, {"_assert_double_equal", m_nothing, 0, 0},
    {"_fail", m_failed, 0, 0}, {"_skip", m_failed, 0, 0}, {"cm_print_error", m_nothing, 0, 0},
    {"print_message", m_nothing, 0, 0}, {"print_error", m_nothing, 0, 0},
    {"cmocka_set_message_output", m_nothing, 0, 0}, {"cmocka_set_test_filter", m_nothing, 0, 0},
    {"suite_create", m_new, 0, 0}, {"tcase_create", m_new, 0, 0}, {"srunner_create", m_new, 0, 0},
    {"suite_add_tcase", m_nothing, 0, 0}, {"srunner_add_suite", m_nothing, 0, 0},
    {"_tcase_add_test", m_add_test, 0, 0}, {"tcase_add_checked_fixture", m_add_fixture, 0, 0},
    {"tcase_add_unchecked_fixture", m_add_fixture, 0, 0}, {"tcase_set_timeout", m_nothing, 0, 0},
    {"tcase_set_tags", m_nothing, 0, 0}, {"srunner_run_all", m_run_all, 0, 0}, {"srunner_run", m_run_all, 0, 0},
    {"srunner_run_tagged", m_run_all, 0, 0}, {"srunner_set_fork_status", m_nothing, 0, 0},
    {"srunner_set_log", m_nothing, 0, 0}, {"srunner_set_tap", m_nothing, 0, 0}, {"srunner_set_xml", m_nothing, 0, 0},
    {"srunner_free", m_nothing, 0, 0}, {"srunner_ntests_failed", m_nothing, 0, 0},
    {"srunner_ntests_run", m_nothing, 0, 0}, {"tcase_fn_start", m_nothing, 0, 0}, {"_mark_point", m_nothing, 0, 0},
    {"_ck_assert_failed", m_failed, 0, 0}, {"_ck_assert_msg", m_nothing, 0, 0}, {"_ck_fail", m_failed, 0, 0},
    {"UnityDefaultTestRun", m_unity, 0, 0}, {"UnityBegin", m_nothing, 0, 0}, {"UnityEnd", m_nothing, 0, 0},
    {"UnityAssertEqualNumber", m_nothing, 0, 0}, {"UnityAssertGreaterOrLessOrEqualNumber", m_nothing, 0, 0},
    {"UnityAssertEqualString", m_nothing, 0, 0}, {"UnityAssertEqualStringLen", m_nothing, 0, 0},
    {"UnityAssertEqualMemory", m_nothing, 0, 0}, {"UnityAssertEqualIntArray", m_nothing, 0, 0},
    {"UnityAssertBits", m_nothing, 0, 0}, {"UnityAssertNumbersWithin", m_nothing, 0, 0},
    {"UnityAssertFloatsWithin", m_nothing, 0, 0}, {"UnityAssertDoublesWithin", m_nothing, 0, 0},
    {"UnityFail", m_failed, 0, 0}, {"UnityIgnore", m_failed, 0, 0}, {"UnityMessage", m_nothing, 0, 0},
    {"UnitySetTestFile", m_nothing, 0, 0},
};
const struct sn_model_table sn_models_framework = {models, sizeof models / sizeof *models};
