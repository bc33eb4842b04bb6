/*
 * unwind_test.c: stacks against those of glibc's backtrace(), taken at the same place, and tables
 * written by hand for what compilers make rarely.
 */
#include "cfi.c"
#include "unwind.c"
#include "stack_cache.c"

#include <alloca.h>
#include <execinfo.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

struct sn_real sn_real;

enum { MAX = 200 };

struct registers {
    uint64_t kept[6]; /* rbx rbp r12 r13 r14 r15 */
    uint64_t rsp, pc; /* of the caller, after the call */
};

void take_registers(struct registers *r);
__asm__(".text\n"
        ".globl take_registers\n"
        ".type take_registers, @function\n"
        "take_registers:\n"
        "  mov %rbx, (%rdi)\n"
        "  mov %rbp, 8(%rdi)\n"
        "  mov %r12, 16(%rdi)\n"
        "  mov %r13, 24(%rdi)\n"
        "  mov %r14, 32(%rdi)\n"
        "  mov %r15, 40(%rdi)\n"
        "  lea 8(%rsp), %rax\n"
        "  mov %rax, 48(%rdi)\n"
        "  mov (%rsp), %rax\n"
        "  mov %rax, 56(%rdi)\n"
        "  ret\n"
        ".size take_registers, .-take_registers\n");

static unsigned ours(const struct registers *r, uintptr_t *pcs)
{
    static const uint8_t kept[6] = {SN_RBX, SN_RBP, SN_R12, SN_R13, SN_R14, SN_R15};
    static __thread struct sn_cfi m;
    struct frame f = {.low = r->rsp, .high = UINTPTR_MAX - 8};
    bool signal = false;
    unsigned n = 0;
    for (int i = 0; i < 6; i++)
        f.reg[kept[i]] = r->kept[i];
    f.reg[SN_RIP] = r->pc;
    f.reg[SN_RSP] = r->rsp;
    while (n < MAX && step(&f, &signal, &m))
        pcs[n++] = f.reg[SN_RIP];
    return n;
}

static unsigned compared; /* frames, so that a test cannot pass without having looked */

/* Called by whatever is tested; its callers must be the same by both. backtrace() has one frame
 * more, or two where it is intercepted. Two programs may disagree about where a stack ends, so the
 * part that both have counts. */
static __attribute__((noinline)) void compare(unsigned at_least)
{
    struct registers r;
    void *theirs[MAX];
    uintptr_t mine[MAX];
    take_registers(&r);
    unsigned n = ours(&r, mine), m = (unsigned)backtrace(theirs, MAX), first = 1;
    assert_true(n >= at_least);
    if (m > 2 && mine[0] == (uintptr_t)theirs[2])
        first = 2;
    assert_true(m - first >= at_least);
    for (unsigned i = 0; i < n && i + first < m; i++)
        assert_int_equal(mine[i], (uintptr_t)theirs[i + first]);
    compared += n;
}

static __attribute__((noinline)) int deep(int n)
{
    int r = n ? deep(n - 1) : 0;
    if (!n)
        compare(50);
    __asm__ volatile("" ::: "memory");
    return r + 1;
}

static void recursion(void **state)
{
    (void)state;
    assert_int_equal(deep(50), 51);
}

static __attribute__((noinline)) int realigned(int n)
{
    _Alignas(64) volatile char big[256];
    volatile char *more = alloca((size_t)n * 16);
    big[0] = more[0] = 1;
    compare(3);
    return big[0] + more[0];
}

static void realigned_stack(void **state)
{
    (void)state;
    assert_int_equal(realigned(3) + realigned(40), 4);
}

static int order(const void *a, const void *b)
{
    compare(4);
    return *(const int *)a - *(const int *)b;
}

static void through_libc(void **state)
{
    int v[4] = {3, 1, 2, 0};
    (void)state;
    qsort(v, 4, sizeof *v, order);
    assert_int_equal(v[3], 3);
}

static void handler(int number)
{
    (void)number;
    compare(4);
}

static void signal_frame(void **state)
{
    struct sigaction a = {.sa_handler = handler}, old;
    (void)state;
    sigaction(SIGUSR1, &a, &old);
    raise(SIGUSR1);
    sigaction(SIGUSR1, &old, 0);
}

static void *body(void *arg)
{
    compare(1);
    return arg;
}

static void thread(void **state)
{
    pthread_t t;
    (void)state;
    assert_int_equal(pthread_create(&t, 0, body, 0), 0);
    pthread_join(t, 0);
}

/* Calls what rdi points to, with tables of its own. */
#define BY_HAND(name, before, after)                                                               \
    void name(void (*f)(void));                                                                    \
    __asm__(".text\n.globl " #name "\n.type " #name ", @function\n" #name ":\n"                    \
            ".cfi_startproc\n" before "  call *%rdi\n" after "  ret\n.cfi_endproc\n.size " #name   \
            ", .-" #name "\n")

/* breg3 (rbx) + 16. */
BY_HAND(
    cfa_expression,
    "  push %rbx\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset rbx, 0\n  mov %rsp, %rbx\n"
    "  sub $96, %rsp\n"
    ".cfi_escape 0x0f, 2, 0x73, 0x10\n",
    "  add $96, %rsp\n.cfi_def_cfa rsp, 16\n  pop %rbx\n.cfi_def_cfa_offset 8\n.cfi_restore rbx\n");
/* The return address by an expression of the frame address: cfa, const1s -8, plus. */
BY_HAND(return_by_expression,
        "  sub $8, %rsp\n.cfi_adjust_cfa_offset 8\n"
        ".cfi_escape 0x10, 16, 3, 0x09, 0xf8, 0x22\n",
        "  add $8, %rsp\n.cfi_adjust_cfa_offset -8\n");
/* A register that another one keeps, and states that are put aside. */
BY_HAND(kept_in_register,
        "  push %r12\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset r12, 0\n  mov %rbx, %r12\n"
        ".cfi_register rbx, r12\n.cfi_remember_state\n.cfi_undefined rbx\n.cfi_def_cfa_offset 800\n"
        ".cfi_restore_state\n  xor %ebx, %ebx\n",
        "  mov %r12, %rbx\n.cfi_same_value rbx\n  pop %r12\n.cfi_adjust_cfa_offset -8\n"
        ".cfi_restore r12\n");

static void look(void)
{
    compare(3);
}

static void tables_by_hand(void **state)
{
    (void)state;
    cfa_expression(look);
    return_by_expression(look);
    kept_in_register(look);
}

/* No table at all: the walk ends there. */
void without_table(void (*f)(void));
__asm__(
    ".text\n.globl without_table\n.type without_table, @function\nwithout_table:\n"
    "  sub $8, %rsp\n  call *%rdi\n  add $8, %rsp\n  ret\n.size without_table, .-without_table\n");

static unsigned reached;

static void count(void)
{
    struct registers r;
    uintptr_t mine[MAX];
    take_registers(&r);
    reached = ours(&r, mine);
}

static void no_table(void **state)
{
    (void)state;
    without_table(count);
    assert_int_equal(reached, 1); /* the call in without_table() */
}

/* What is outside of the stack is not read. */
static void short_stack(void **state)
{
    static struct sn_cfi m;
    struct registers r;
    bool signal = false;
    (void)state;
    take_registers(&r);
    struct frame f = {.low = r.rsp, .high = r.rsp};
    f.reg[SN_RIP] = r.pc;
    f.reg[SN_RSP] = r.rsp;
    f.reg[SN_RBP] = r.kept[1];
    assert_false(step(&f, &signal, &m));
}

static void numbers(void **state)
{
    const uint8_t u[] = {0xe5, 0x8e, 0x26}, s[] = {0x80, 0x7f}, *p = u;
    (void)state;
    assert_int_equal(sn_uleb(&p), 624485);
    assert_ptr_equal(p, u + 3);
    p = s;
    assert_int_equal(sn_sleb(&p), -128);
    int32_t offset = -16;
    uint8_t relative[4];
    memcpy(relative, &offset, 4);
    p = relative;
    assert_int_equal(encoded(&p, PE_PCREL | PE_SDATA4, 0), (uintptr_t)relative - 16);
    p = relative;
    assert_int_equal(encoded(&p, PE_DATAREL | PE_SDATA4, 1000), 984);
    p = relative;
    assert_int_equal(encoded(&p, PE_OMIT, 0), 0);
}

static int by_library(void **state)
{
    (void)state;
    sn_real._dl_find_object = _dl_find_object;
    return 0;
}

static int by_headers(void **state)
{
    (void)state;
    sn_real._dl_find_object = 0;
    return 0;
}

static int looked(void **state)
{
    (void)state;
    return compared > 0 ? 0 : -1;
}

#define BOTH_WAYS(f)                                                                               \
    cmocka_unit_test_setup(f, by_library), cmocka_unit_test_setup_teardown(f, by_headers, looked)

int main(void)
{
    const struct CMUnitTest tests[] = {
        BOTH_WAYS(recursion),      BOTH_WAYS(realigned_stack),
        BOTH_WAYS(through_libc),   BOTH_WAYS(signal_frame),
        BOTH_WAYS(thread),         BOTH_WAYS(tables_by_hand),
        BOTH_WAYS(no_table),       cmocka_unit_test(short_stack),
        cmocka_unit_test(numbers),
    };
    return cmocka_run_group_tests(tests, 0, 0);
}
