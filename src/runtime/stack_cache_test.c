/* stack_cache_test.c: a stack is recognised by its return addresses and by nothing less. */
#include "stack_cache.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static struct {
    struct sn_call c;
    uintptr_t word[8];
} stack;
static struct sn_thread self;
static const uintptr_t *const places[2] = {&stack.word[1], &stack.word[6]};

static int fill(void **state)
{
    (void)state;
    stack.c.pc = 1000;
    stack.word[1] = 2000;
    stack.word[6] = 3000;
    self.stack_low = (uintptr_t)&stack;
    self.stack_high = (uintptr_t)(&stack + 1);
    uintptr_t slot[2] = {(uintptr_t)places[0], (uintptr_t)places[1]};
    sn_stack_cache_put(&stack.c, slot, 2, 77);
    return 0;
}

static void same_stack(void **state)
{
    (void)state;
    assert_int_equal(sn_stack_cache_find(&stack.c, &self), 77);
    stack.word[3] = 5; /* what lies between return addresses is of no interest */
    assert_int_equal(sn_stack_cache_find(&stack.c, &self), 77);
}

static void other_caller(void **state)
{
    (void)state;
    stack.word[6] = 3001;
    assert_int_equal(sn_stack_cache_find(&stack.c, &self), 0);
    stack.word[6] = 3000;
    assert_int_equal(sn_stack_cache_find(&stack.c, &self), 77);
}

static void other_site(void **state)
{
    (void)state;
    stack.c.pc = 1001;
    assert_int_equal(sn_stack_cache_find(&stack.c, &self), 0);
}

/* The places may be gone: nothing is read outside the thread's stack. */
static void other_stack(void **state)
{
    (void)state;
    self.stack_high = (uintptr_t)places[1];
    assert_int_equal(sn_stack_cache_find(&stack.c, &self), 0);
}

static void no_callers(void **state)
{
    (void)state;
    sn_stack_cache_put(&stack.c, 0, 0, 78);
    assert_int_equal(sn_stack_cache_find(&stack.c, &self), 78);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(same_stack, fill), cmocka_unit_test_setup(other_caller, fill),
        cmocka_unit_test_setup(other_site, fill), cmocka_unit_test_setup(other_stack, fill),
        cmocka_unit_test_setup(no_callers, fill),
    };
    return cmocka_run_group_tests(tests, 0, 0);
}
