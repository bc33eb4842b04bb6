/*
 * redirect_entry.S: where every stub goes: keep what may hold arguments, ask the engine, go on to the
 * real function as if nothing had been. Nothing is known about the function, so every register that
 * a caller may have filled is kept: the integer arguments, rax (number of vector arguments), r10
 * (static chain). The engine's fast half touches no vector register; before its slow half those that
 * are in use are saved: by moves where the processor says which (XGETBV 1), since XSAVE and XRSTOR take
 * five times as long, else by XSAVE. r11 is free between caller and callee.
 *
 * The stack at entry: the stub's index, the return address. struct sn_call (core/engine.h) is what is
 * below plus these two.
 */
#define ARGS 0
#define RAX 48
#define R10 56
#define KEPT 64
#define RESULT 128
#define STUB 176
#define FRAME 176
#define LEGACY 512 /* XSAVE: legacy area, then the header */
#define STUB_IS_LONG 12 /* in struct sn_stub */
#define STACK_WORDS 32 /* arguments of a long call that may be on the stack */
#define MASKS 2048 /* behind 32 registers of 64 bytes */
#define IN_USE_YMM 0x4 /* bits of XGETBV 1: upper halves of ymm0 to 15, … */
#define IN_USE_K 0x20
#define IN_USE_ZMM 0x40
#define IN_USE_HIGH 0x80 /* zmm16 to 31 */

.macro each16 move, kind, first, save
    .set n, 0
    .rept 16
    .if \save
    one_save \move, \kind, %(\first + n)
    .else
    one_restore \move, \kind, %(\first + n)
    .endif
    .set n, n + 1
    .endr
.endm
.altmacro
.macro one_save move, kind, number
    \move %\kind&\number, \number * 64(%rsp)
.endm
.macro one_restore move, kind, number
    \move \number * 64(%rsp), %\kind&\number
.endm
/* The registers that r12 says are in use. */
.macro vectors save
    LOCAL half, quarter, upper, masks, done
    test $IN_USE_ZMM, %r12d
    jz half
    each16 vmovups, zmm, 0, \save
    jmp upper
half:
    test $IN_USE_YMM, %r12d
    jz quarter
    each16 vmovups, ymm, 0, \save
    jmp upper
quarter:
    each16 movups, xmm, 0, \save
upper:
    test $IN_USE_HIGH, %r12d
    jz masks
    each16 vmovups, zmm, 16, \save
masks:
    test $IN_USE_K, %r12d
    jz done
    .set n, 0
    .rept 8
    .if \save
    mask_save %n
    .else
    mask_restore %n
    .endif
    .set n, n + 1
    .endr
done:
.endm
.macro mask_save number
    kmovq %k&\number, MASKS + \number * 8(%rsp)
.endm
.macro mask_restore number
    kmovq MASKS + \number * 8(%rsp), %k&\number
.endm

    .text
    .globl sn_redirect_entry
    .hidden sn_redirect_entry
    .type sn_redirect_entry, @function
    .balign 16
sn_redirect_entry:
    .cfi_startproc
    .cfi_personality 0x1b, sn_redirect_personality /* pcrel, four bytes */
    .cfi_def_cfa_offset 16
    sub $FRAME, %rsp
    .cfi_def_cfa_offset FRAME + 16
    mov %rdi, ARGS(%rsp)
    mov %rsi, ARGS+8(%rsp)
    mov %rdx, ARGS+16(%rsp)
    mov %rcx, ARGS+24(%rsp)
    mov %r8, ARGS+32(%rsp)
    mov %r9, ARGS+40(%rsp)
    mov %rax, RAX(%rsp)
    mov %r10, R10(%rsp)
    mov %rsp, %rdi
    call *sn_redirect_fast(%rip)
    test %eax, %eax
    jnz 2f
1:  mov STUB(%rsp), %rax
    shl $4, %rax
    lea sn_stubs(%rip), %r11
    add %rax, %r11
    cmpw $1, STUB_IS_LONG(%r11)
    mov (%r11), %r11
    mov ARGS(%rsp), %rdi
    mov ARGS+8(%rsp), %rsi
    mov ARGS+16(%rsp), %rdx
    mov ARGS+24(%rsp), %rcx
    mov ARGS+32(%rsp), %r8
    mov ARGS+40(%rsp), %r9
    mov RAX(%rsp), %rax
    mov R10(%rsp), %r10
    ja 7f
    je 5f
    add $FRAME+8, %rsp
    .cfi_def_cfa_offset 8
    jmp *%r11
    .cfi_def_cfa_offset FRAME + 16
2:  mov %rbx, KEPT(%rsp)
    mov %rbp, KEPT+8(%rsp)
    mov %r12, KEPT+16(%rsp)
    mov %r13, KEPT+24(%rsp)
    mov %r14, KEPT+32(%rsp)
    mov %r15, KEPT+40(%rsp)
    .cfi_offset %rbx, KEPT - FRAME - 16
    mov %rsp, %rbx
    .cfi_def_cfa %rbx, FRAME + 16
    mov %eax, %esi
    sub sn_redirect_xsave_bytes(%rip), %rsp
    and $-64, %rsp
    cmpl $0, sn_redirect_by_moves(%rip)
    je 6f
    .cfi_offset %r12, KEPT + 16 - FRAME - 16
    mov $1, %ecx
    xgetbv
    mov %eax, %r12d
    vectors 1
    mov %rbx, %rdi
    call *sn_redirect_slow(%rip)
    vectors 0
    mov KEPT+16(%rbx), %r12
    .cfi_restore %r12
    jmp 3f
6:  xor %eax, %eax
    mov %rax, LEGACY(%rsp)
    mov %rax, LEGACY+8(%rsp)
    mov %rax, LEGACY+16(%rsp)
    mov %rax, LEGACY+24(%rsp)
    mov %rax, LEGACY+32(%rsp)
    mov %rax, LEGACY+40(%rsp)
    mov %rax, LEGACY+48(%rsp)
    mov %rax, LEGACY+56(%rsp)
    mov sn_redirect_xsave_mask(%rip), %eax
    xor %edx, %edx
    test %eax, %eax
    jz 4f
    xsave64 (%rsp)
    mov %rbx, %rdi
    call *sn_redirect_slow(%rip)
    mov sn_redirect_xsave_mask(%rip), %eax
    xor %edx, %edx
    xrstor64 (%rsp)
3:  mov %rbx, %rsp
    mov KEPT(%rsp), %rbx
    .cfi_def_cfa %rsp, FRAME + 16
    .cfi_restore %rbx
    jmp 1b
    .cfi_def_cfa %rbx, FRAME + 16
    .cfi_offset %rbx, KEPT - FRAME - 16
4:  fxsave64 (%rsp)
    mov %rbx, %rdi
    call *sn_redirect_slow(%rip)
    fxrstor64 (%rsp)
    jmp 3b
    .cfi_def_cfa %rsp, FRAME + 16
    .cfi_restore %rbx
/* A long call: it is called from here, so its arguments must all be in registers. What it returns may
 * be in rax, rdx, xmm0, xmm1 and on the x87 stack, which the engine does not touch. The kept registers
 * stay where they are: until the engine knows of the end, another thread may walk this stack. */
.macro keep
    mov %rbx, KEPT(%rsp)
    mov %rbp, KEPT+8(%rsp)
    mov %r12, KEPT+16(%rsp)
    mov %r13, KEPT+24(%rsp)
    mov %r14, KEPT+32(%rsp)
    mov %r15, KEPT+40(%rsp)
.endm
5:  keep
    call *%r11
    .globl sn_redirect_returned
    .hidden sn_redirect_returned
sn_redirect_returned:
8:  mov %rax, RAX(%rsp)
    mov %rdx, R10(%rsp)
    movups %xmm0, RESULT(%rsp)
    movups %xmm1, RESULT+16(%rsp)
    mov %rsp, %rdi
    call *sn_redirect_leave(%rip)
    mov RAX(%rsp), %rax
    mov R10(%rsp), %rdx
    movups RESULT(%rsp), %xmm0
    movups RESULT+16(%rsp), %xmm1
    add $FRAME+8, %rsp
    .cfi_def_cfa_offset 8
    ret
    .cfi_def_cfa_offset FRAME + 16
/* The same with as much of the caller's stack as the arguments may take. */
7:  keep
    mov %rsp, %rbx
    .cfi_def_cfa %rbx, FRAME + 16
    .cfi_offset %rbx, KEPT - FRAME - 16
    .cfi_offset %r12, KEPT + 16 - FRAME - 16
    sub $STACK_WORDS * 8, %rsp
    .set n, 0
    .rept STACK_WORDS
    mov FRAME + 16 + n * 8(%rbx), %r12
    mov %r12, n * 8(%rsp)
    .set n, n + 1
    .endr
    call *%r11
    .globl sn_redirect_returned_many
    .hidden sn_redirect_returned_many
sn_redirect_returned_many:
    mov %rbx, %rsp
    .cfi_def_cfa %rsp, FRAME + 16
    mov KEPT(%rsp), %rbx
    mov KEPT+16(%rsp), %r12
    jmp 8b
    .cfi_endproc
    .size sn_redirect_entry, . - sn_redirect_entry

/* dlsym and dlvsym look at their caller for RTLD_NEXT (-1): then nobody may stand in between. */
    .globl sn_dlsym_entry
    .hidden sn_dlsym_entry
    .type sn_dlsym_entry, @function
    .balign 16
sn_dlsym_entry:
    cmp $-1, %rdi
    jne sn_redirect_dlsym
    jmp *sn_real_dlsym(%rip)
    .size sn_dlsym_entry, . - sn_dlsym_entry

    .globl sn_dlvsym_entry
    .hidden sn_dlvsym_entry
    .type sn_dlvsym_entry, @function
    .balign 16
sn_dlvsym_entry:
    cmp $-1, %rdi
    jne sn_redirect_dlvsym
    jmp *sn_real_dlvsym(%rip)
    .size sn_dlvsym_entry, . - sn_dlvsym_entry

    .section .note.GNU-stack, "", @progbits
