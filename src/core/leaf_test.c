/* leaf_test.c: machine code as compilers write it. */
#include "core/leaf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define CODE(...) ((const uint8_t[256]){__VA_ARGS__})

static void what_loads_a_field_is_plain(void **state)
{
    (void)state;
    /* mov 0x37c(%rdi),%eax; ret */
    assert_true(sn_leaf_is_plain(CODE(0x8b, 0x87, 0x7c, 0x03, 0, 0, 0xc3)));
    /* endbr64; test %rdi,%rdi; je 1f; mov 0x18(%rdi),%rax; ret; nopw; 1: xor %eax,%eax; ret */
    assert_true(
        sn_leaf_is_plain(CODE(0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0x85, 0xff, 0x74, 0x0b, 0x48, 0x8b,
                              0x47, 0x18, 0xc3, 0x66, 0x0f, 0x1f, 0x44, 0, 0, 0x31, 0xc0, 0xc3)));
    /* 1: mov (%rdi),%rdi; test %rdi,%rdi; jne 1b; movzbl 4(%rdi,%rax,8),%eax; ret */
    assert_true(sn_leaf_is_plain(
        CODE(0x48, 0x8b, 0x3f, 0x48, 0x85, 0xff, 0x75, 0xf8, 0x0f, 0xb6, 0x44, 0xc7, 0x04, 0xc3)));
    /* push %rbx; mov $5,%eax; testl $8,0x10(%rdi); setne %al; pop %rbx; ret */
    assert_true(sn_leaf_is_plain(
        CODE(0x53, 0xb8, 5, 0, 0, 0, 0xf7, 0x47, 0x10, 8, 0, 0, 0, 0x0f, 0x95, 0xc0, 0x5b, 0xc3)));
}

static void what_calls_or_jumps_out_is_not(void **state)
{
    (void)state;
    assert_false(sn_leaf_is_plain(CODE(0xe8, 0, 0, 0, 0, 0xc3)));       /* call */
    assert_false(sn_leaf_is_plain(CODE(0xe9, 0x10, 0, 0, 0)));          /* jmp */
    assert_false(sn_leaf_is_plain(CODE(0xff, 0xe0)));                   /* jmp *%rax */
    assert_false(sn_leaf_is_plain(CODE(0xff, 0x53, 0x18, 0xc3)));       /* call *0x18(%rbx) */
    assert_false(sn_leaf_is_plain(CODE(0x74, 0x80, 0xc3)));             /* je before it */
    assert_false(sn_leaf_is_plain(CODE(0x0f, 0x84, 0, 2, 0, 0, 0xc3))); /* je far behind it */
    assert_false(sn_leaf_is_plain(CODE(0x0f, 0x05, 0xc3)));             /* syscall */
    assert_false(
        sn_leaf_is_plain(CODE(0x74, 0x01, 0xc3, 0xe8, 0, 0, 0, 0))); /* a call behind ret */
    assert_false(sn_leaf_is_plain(CODE(0x90)));                      /* no end */
}

static void what_uses_vector_registers_is_not(void **state)
{
    (void)state;
    assert_false(sn_leaf_is_plain(CODE(0xf2, 0x48, 0x0f, 0x2c, 0x07, 0xc3)));       /* cvttsd2si */
    assert_false(sn_leaf_is_plain(CODE(0x66, 0x0f, 0xef, 0xc0, 0xc3)));             /* pxor */
    assert_false(sn_leaf_is_plain(CODE(0x0f, 0x11, 0x07, 0xc3)));                   /* movups */
    assert_false(sn_leaf_is_plain(CODE(0xc5, 0xfc, 0x10, 0x07, 0xc3)));             /* vmovups */
    assert_false(sn_leaf_is_plain(CODE(0x62, 0xf1, 0x7c, 0x48, 0x10, 0x07, 0xc3))); /* zmm */
    assert_false(sn_leaf_is_plain(CODE(0xdd, 0x07, 0xc3)));                         /* fldl */
}

/* Prefixes change the size of a constant: after it there is something else than it seems. */
static void what_cannot_be_said_is_not(void **state)
{
    (void)state;
    assert_false(sn_leaf_is_plain(CODE(0x48, 0xb8, 0, 0, 0, 0, 0xc3, 0, 0, 0, 0xc3))); /* movabs */
    assert_false(sn_leaf_is_plain(CODE(0x66, 0x81, 0xf8, 1, 0, 0xc3, 0xc3))); /* cmp $1,%ax */
    assert_false(sn_leaf_is_plain(CODE(0x64, 0x8b, 0x07, 0xc3)));             /* fs: */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_loads_a_field_is_plain),
        cmocka_unit_test(what_calls_or_jumps_out_is_not),
        cmocka_unit_test(what_uses_vector_registers_is_not),
        cmocka_unit_test(what_cannot_be_said_is_not),
    };
    return cmocka_run_group_tests(tests, 0, 0);
}
