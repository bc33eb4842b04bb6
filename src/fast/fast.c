/*
 * fast.c: the part of the TSan ABI that `snag cc` links into every module: the look at the shadow
 * and the calls' frames, without a jump through the PLT. That jump into another library costs more
 * than all that is done here.
 *
 * This is the race engine's first look (engine/race/access.h). With every other engine the
 * directory has one entry, which is empty, and there is no room for calls: all goes on to the
 * library. It does too for a thread that is not followed: it has no epoch, and 0 is that of an
 * empty word, which has no bytes.
 *
 * Each function begins a cache line of its own (cmake/runtime.cmake), and the common case ends in
 * it: what a hook costs is above all how many lines the processor has to fetch for it.
 */
#ifdef SN_FAST_PROGRAM
#define SN_RACE_HOT_MODEL "local-exec"
#endif
#include "access.h"

#include "fast/fast.h"

#define FAST __attribute__((visibility("hidden")))

#ifdef SN_FAST_PROGRAM
/* In a program, not in a shared library: each thread's record is the program's, and where it is
 * was known when the program was linked. The library takes this one for its own, unless the linker
 * was told not to export it: then it stays as it is here, and all goes on to the library. */
static const _Alignas(64) uint64_t nothing[SN_SET_CACHE];
_Static_assert(offsetof(struct sn_set_cache, member) == 0, "no member of any set");
_Static_assert(sizeof nothing > offsetof(struct sn_thread, low), "no room for calls");
_Alignas(64) __thread struct sn_race_hot sn_race_hot SN_RACE_HOT = {
    .sets = (struct sn_set_cache *)nothing, .calls = (struct sn_thread *)nothing, .dir = nothing};

/* The directory has all its entries only if there is an epoch. */
__asm__(".macro snag_epoch\n"
        "  movl %fs:snag_hot@tpoff, %eax\n"
        ".endm\n"
        ".macro snag_find none\n"
        "  snag_epoch\n"
        "  testl %eax, %eax\n"
        "  je \\none\n"
        "  movq %rdi, %rsi\n"
        "  shlq $17, %rsi\n"
        "  shrq $41, %rsi\n"
        "  movq snag_dir@GOTPCREL(%rip), %rdx\n"
        "  movq (%rdx,%rsi,8), %rdx\n"
        ".endm\n"
        ".macro snag_sets\n"
        "  movq %fs:snag_hot@tpoff+8, %rsi\n"
        ".endm\n"
        ".macro snag_sets_again\n"
        "  snag_sets\n"
        ".endm\n");
#else
__asm__(".macro snag_epoch\n"
        "  movq snag_hot@gottpoff(%rip), %rsi\n"
        "  movl %fs:(%rsi), %eax\n"
        ".endm\n"
        ".macro snag_find none\n"
        "  movq snag_hot@gottpoff(%rip), %rsi\n"
        "  movq %rdi, %rax\n"
        "  shrq $24, %rax\n"
        "  andl %fs:4(%rsi), %eax\n"
        "  movq %fs:32(%rsi), %rdx\n"
        "  movq (%rdx,%rax,8), %rdx\n"
        "  movl %fs:(%rsi), %eax\n"
        ".endm\n"
        ".macro snag_sets\n"
        "  movq %fs:8(%rsi), %rsi\n"
        ".endm\n"
        ".macro snag_sets_again\n" /* when rsi has something else */
        "  movq snag_hot@gottpoff(%rip), %rsi\n"
        "  snag_sets\n"
        ".endm\n");
#endif

/* Of the granule; 0 when the library has to see to the access. */
static inline __attribute__((always_inline)) uintptr_t bias_for(uintptr_t addr)
{
    return sn_race_hot.dir[addr >> SN_REGION_BITS & sn_race_hot.regions];
}

/*
 * Accesses of 1, 2, 4, 8 and 16 bytes: sn_race_saw_read() and sn_race_saw_write() of access.h,
 * written out. A compiler's version has the same instructions, but in two lines.
 *
 *     eax  epoch     rdx  the region's bias     rdi  addr; below 8 bytes rounded down,
 *                         (never 0 in 32 bits)       and ecx has the lower part
 */
__asm__(".macro snag_holds at, size, miss\n"
        "  .if \\size == 8\n"
        "    cmpb $-1, \\at\n"
        "    jne \\miss\n"
        "  .elseif \\size == 1\n" /* as sn_look_holds() */
        "    movb $1, %ch\n"
        "    rolb %cl, %ch\n"
        "    testb %ch, \\at\n"
        "    je \\miss\n"
        "  .else\n"
        "    movb $(0xff & 0xff << \\size), %ch\n"
        "    rolb %cl, %ch\n"
        "    orb \\at, %ch\n"
        "    incb %ch\n"
        "    jne \\miss\n"
        "    xorl %ecx, %ecx\n" /* a setb %cl of the program's need not wait for the shadow */
        "  .endif\n"
        ".endm\n"

        /* The thread is in the set that the word names. */
        ".macro snag_in_set word, miss\n"
        "  movl \\word, %r11d\n"
        "  snag_sets_again\n"
        "  movl %r11d, %eax\n"
        "  andl $63, %eax\n"
        "  cmpl %r11d, 4(%rsi,%rax,8)\n"
        "  jne \\miss\n"
        "  cmpb $-1, (%rsi,%rax,8)\n"
        "  jne \\miss\n"
        "  xorl %eax, %eax\n" /* as below */
        ".endm\n"

        /* sn_field_at(): the three bits of the first byte's number, turned by one. */
        ".macro snag_field_index\n"
        "  leal (%rcx,%rcx,8), %r11d\n"
        "  andl $14, %r11d\n"
        ".endm\n"

        /* The field has just these bytes, and this epoch. */
        ".macro snag_field_is what, size, place, miss\n"
        "  .if \\size == 8\n"
        "    cmpb $-1, (%r10\\place)\n"
        "  .else\n"
        "    movl $(0xff >> (8 - \\size)), %r9d\n"
        "    rolb %cl, %r9b\n"
        "    cmpb %r9b, (%r10\\place)\n"
        "  .endif\n"
        "  jne \\miss\n"
        "  cmpl %eax, 4(%r10\\place)\n"
        "  .ifc \\what, read\n"
        "    jne 6f\n"
        "    ret\n"
        "6:\n"
        "    cmpl %eax, 12(%r10\\place)\n"
        "    jne 6f\n"
        "    ret\n"
        "6:\n"
        "    snag_in_set \"12(%r10\\place)\", 5f\n"
        "  .else\n"
        "    jne 5f\n"
        "  .endif\n"
        "  ret\n"
        "5:\n"
        "  .if \\size < 8\n" /* the field goes on with the access, and its bytes do */
        "    movq (%rsp), %rsi\n"
        "    leaq (%rdx,%rdi,2), %rdx\n"
        "    orq %rcx, %rdi\n"
        "  .ifc \\what\\size, read1\n"
        "    snag_field_index\n"
        "  .endif\n"
        "    leaq (%r10\\place), %rcx\n"
        "    movq %r10, %r8\n"
        "    jmp *snag_\\what\\()_field@GOTPCREL(%rip)\n"
        "  .endif\n"
        ".endm\n"

        /* As sn_race_in_field(); ecx is the first byte's number below 8 bytes. */
        ".macro snag_field what, size, miss\n"
        "  movq (%rdx,%rdi,2), %r10\n" /* once: it may be another the next time */
        "  leal -0x100(%r10), %r11d\n"
        "  testl $0x1ff, %r11d\n"
        "  jne \\miss\n"
        "  .ifc \\what, read\n"
        "  .if \\size < 8\n"
        "    testl $0x1000, %r10d\n" /* SN_FIELDS_KEPT */
        "    jne 4f\n"
        "  .endif\n"
        "  .endif\n"
        "  shrq $16, %r10\n"
        "  .if \\size == 8\n"
        "    snag_field_is \\what, \\size, \"\", \\miss\n"
        "  .elseif \\size == 1\n"
        "    snag_field_index\n"
        "    snag_field_is \\what, \\size, \",%r11,8\", \\miss\n"
        "  .else\n"
        "    snag_field_is \\what, \\size, \",%rcx,8\", \\miss\n"
        "  .endif\n"
        "  .ifc \\what, read\n"
        "  .if \\size < 8\n"
        "4:\n" /* what the thread has read there is in a record of its own */
        "  .if \\size > 1\n"
        "    testb $(\\size - 1), %cl\n"
        "    jne \\miss\n"
        "  .endif\n"
        "    movq (%rsp), %rsi\n"
        "    leaq (%rdx,%rdi,2), %rdx\n"
        "    orq %rcx, %rdi\n"
        "    movl $(0xff >> (8 - \\size)), %r9d\n"
        "    rolb %cl, %r9b\n"
        "    movl %r9d, %ecx\n"
        "    jmp *snag_read_kept@GOTPCREL(%rip)\n"
        "  .endif\n"
        "  .endif\n"
        ".endm\n"

        /* What goes to the library at once is in front, so that all jumps to it are short ones. */
        ".macro snag_begin what, size\n"
        "  .cfi_startproc\n"
        "9:\n"
        "  .if \\size < 8\n"
        "    andl $7, %ecx\n"
        "    orq %rcx, %rdi\n"
        "  .endif\n"
        "  .ifc \\what\\size, read16\n"
        "    jmp snag_read16_rest\n"
        "  .else\n"
        "    movq (%rsp), %rsi\n"
        "    jmp *__tsan_\\what\\size\\()_pc@GOTPCREL(%rip)\n"
        "  .endif\n"
        "  .p2align 6\n"
        "  .globl __tsan_\\what\\size\n"
        "  .hidden __tsan_\\what\\size\n"
        "  .type __tsan_\\what\\size, @function\n"
        "__tsan_\\what\\size:\n"
        "  .if \\size < 8\n"
        "    movl %edi, %ecx\n"
        "  .endif\n"
        "  snag_find 9b\n"
        "  .if \\size < 8\n"
        "    andq $-8, %rdi\n"
        "  .else\n"
        "    testb $7, %dil\n"
        "    jne 9b\n"
        "  .endif\n"
        "  testl %edx, %edx\n"
        "  je 9b\n"
        ".endm\n"

        ".macro snag_end what, size\n"
        "  .cfi_endproc\n"
        "  .size __tsan_\\what\\size, .-__tsan_\\what\\size\n"
        ".endm\n"

        ".macro snag_access what, size\n"
        "  snag_begin \\what, \\size\n"
        "  cmpl %eax, 4(%rdx,%rdi,2)\n"
        "  jne 1f\n"
        "  snag_holds \"(%rdx,%rdi,2)\", \\size, 1f\n"
        "  ret\n"
        "1:\n"
        "  .ifc \\what, read\n"
        "  .if \\size < 4\n" /* small ones are often fields, and then there is no second word */
        "    movl 12(%rdx,%rdi,2), %r11d\n"
        "    testl %r11d, %r11d\n"
        "    je 8f\n"
        "    cmpl %eax, %r11d\n"
        "  .else\n"
        "    cmpl %eax, 12(%rdx,%rdi,2)\n"
        "  .endif\n"
        "    jne 2f\n"
        "    snag_holds \"8(%rdx,%rdi,2)\", \\size, 8f\n"
        "    ret\n"
        "2:\n"
        "  .if \\size >= 4\n"
        "    movl 12(%rdx,%rdi,2), %r11d\n"
        "  .endif\n"
        "    snag_sets\n"
        "    movl %r11d, %eax\n"
        "    andl $63, %eax\n"
        "    cmpl %r11d, 4(%rsi,%rax,8)\n"
        "    jne 3f\n"
        "    snag_holds \"(%rsi,%rax,8)\", \\size, 3f\n"
        "    xorl %eax, %eax\n" /* as for ecx */
        "    ret\n"
        "3:\n"
        "    snag_epoch\n"
        "  .endif\n"
        "8:\n"
        "  .if \\size < 8\n"
        "    andl $7, %ecx\n"
        "  .endif\n"
        "  snag_field \\what, \\size, 7f\n"
        "7:\n"
        "  movq (%rsp), %rsi\n"
        "  leaq (%rdx,%rdi,2), %rdx\n"
        "  .if \\size < 8\n"
        "    orq %rcx, %rdi\n"
        "  .endif\n"
        "  jmp *snag_\\what\\size@GOTPCREL(%rip)\n"
        "  snag_end \\what, \\size\n"
        ".endm\n"

        /* The first granule's epoch is this one: two whole ones that were written in it? */
        ".macro snag_pair_written\n"
        "  cmpl %eax, 20(%rdx,%rdi,2)\n"
        "  jne 9b\n"
        "  cmpb $-1, (%rdx,%rdi,2)\n"
        "  jne 9b\n"
        "  cmpb $-1, 16(%rdx,%rdi,2)\n"
        "  jne 9b\n"
        "  ret\n"
        ".endm\n"

        ".text\n"
        "snag_access read, 1\n"
        "snag_access read, 2\n"
        "snag_access read, 4\n"
        "snag_access read, 8\n"
        "snag_access write, 1\n"
        "snag_access write, 2\n"
        "snag_access write, 4\n"
        "snag_access write, 8\n"

        /* Two granules, when both were written, or were read in the same way: neighbours mostly
         * have one history. */
        "snag_begin read, 16\n"
        "  cmpl %eax, 4(%rdx,%rdi,2)\n"
        "  jne 1f\n"
        "  snag_pair_written\n"
        "1:\n"
        "  movq 8(%rdx,%rdi,2), %r11\n"
        "  cmpq %r11, 24(%rdx,%rdi,2)\n"
        "  jne 9b\n"
        "  movq %r11, %r10\n"
        "  shrq $32, %r10\n"
        "  cmpl %eax, %r10d\n"
        "  jne 2f\n"
        "  cmpb $-1, %r11b\n"
        "  jne 9b\n"
        "  ret\n"
        "2:\n"
        "  movl %r10d, %r11d\n"
        "  andl $63, %r11d\n"
        "  snag_sets\n"
        "  cmpl %r10d, 4(%rsi,%r11,8)\n"
        "  jne 9b\n"
        "  cmpb $-1, (%rsi,%r11,8)\n"
        "  jne 9b\n"
        "  ret\n"
        "snag_end read, 16\n"

        "snag_begin write, 16\n"
        "  cmpl %eax, 4(%rdx,%rdi,2)\n"
        "  jne 9b\n"
        "  snag_pair_written\n"
        "snag_end write, 16\n");
_Static_assert(offsetof(struct sn_race_hot, epoch) == 0, "as above");
_Static_assert(offsetof(struct sn_race_hot, regions) == 4, "as above");
_Static_assert(offsetof(struct sn_race_hot, sets) == 8, "as above");
_Static_assert(offsetof(struct sn_race_hot, dir) == 32, "as above");
_Static_assert(offsetof(struct sn_granule, r) == 8, "as above");
_Static_assert(SN_REGION_BITS == 24 && SN_DIR_BITS == 23 && SN_SET_CACHE == 64, "as above");

void __tsan_read16_pc(void *p, void *pc);
/* The others, as the library sees them. */
FAST void snag_read16_rest(void *p);
FAST void snag_read16_rest(void *p)
{
    uintptr_t addr = (uintptr_t)p, bias = bias_for(addr);
    if (SN_UNLIKELY(!bias || !sn_race_is_whole(addr, 16) ||
                    !sn_race_saw_read(addr, 16, sn_granule_at(bias, addr))))
        __tsan_read16_pc(p, __builtin_return_address(0));
}

#define UNALIGNED(size)                                                                            \
    FAST void __tsan_unaligned_read##size(void *p);                                                \
    FAST void __tsan_unaligned_read##size(void *p)                                                 \
    {                                                                                              \
        uintptr_t addr = (uintptr_t)p, bias = bias_for(addr);                                      \
        if (SN_UNLIKELY(!bias || !sn_race_saw_span(addr, size, sn_granule_at(bias, addr), 0)))     \
            snag_unaligned_read##size(addr, (uintptr_t)__builtin_return_address(0));               \
    }                                                                                              \
    FAST void __tsan_unaligned_write##size(void *p);                                               \
    FAST void __tsan_unaligned_write##size(void *p)                                                \
    {                                                                                              \
        uintptr_t addr = (uintptr_t)p, bias = bias_for(addr);                                      \
        if (SN_UNLIKELY(!bias || !sn_race_saw_span(addr, size, sn_granule_at(bias, addr), 1)))     \
            snag_unaligned_write##size(addr, (uintptr_t)__builtin_return_address(0));              \
    }

UNALIGNED(2)
UNALIGNED(4)
UNALIGNED(8)
UNALIGNED(16)

FAST void __tsan_func_entry(void *caller);
FAST void __tsan_func_entry(void *caller)
{
    struct sn_thread *t = sn_race_hot.calls;
    struct sn_call_frame *f = t->sp;
    uintptr_t rsp = (uintptr_t)__builtin_dwarf_cfa(), rbp; /* value of rsp before the call */
    if (SN_UNLIKELY(f == t->frames_end)) {
        __asm__ volatile("mov %%rbp, %0" : "=r"(rbp)); /* no frame pointer here: the caller's */
        snag_call((uintptr_t)caller, rsp, rbp);
        return;
    }
    f->rsp = rsp;
    __asm__ volatile("mov %%rbp, %0" : "=m"(f->rbp));
    f->pc = (uintptr_t)caller;
    f->ctx = 0;
    t->sp = f + 1;
}

FAST void __tsan_func_exit(void);
FAST void __tsan_func_exit(void)
{
    struct sn_thread *t = sn_race_hot.calls;
    struct sn_call_frame *f = t->sp;
    if (SN_LIKELY(f != t->low))
        t->sp = f - 1;
    else
        snag_return();
}
