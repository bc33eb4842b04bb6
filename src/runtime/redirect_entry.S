/*
 * redirect_entry.S: where every stub goes: keep what may hold arguments, ask the engine, go on to the
 * real function as if nothing had been. Nothing is known about the function, so every register that
 * a caller may have filled is kept: the integer arguments, rax (number of vector arguments), r10
 * (static chain). The engine's fast half touches no vector register; before its slow half all vector
 * state is saved by XSAVE. r11 is free between caller and callee.
 *
 * The stack at entry: the stub's index, the return address. struct sn_call (core/engine.h) is what is
 * below plus these two.
 */
#define ARGS 0
#define RAX 48
#define R10 56
#define KEPT 64
#define STUB 128
#define FRAME 128
#define LEGACY 512 /* XSAVE: legacy area, then the header */
#define STUB_IS_LONG 12 /* in struct sn_stub */

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
    cmpl $0, STUB_IS_LONG(%r11)
    mov (%r11), %r11
    mov ARGS(%rsp), %rdi
    mov ARGS+8(%rsp), %rsi
    mov ARGS+16(%rsp), %rdx
    mov ARGS+24(%rsp), %rcx
    mov ARGS+32(%rsp), %r8
    mov ARGS+40(%rsp), %r9
    mov RAX(%rsp), %rax
    mov R10(%rsp), %r10
    jne 5f
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
    xor %eax, %eax
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
5:  mov %rbx, KEPT(%rsp)
    mov %rbp, KEPT+8(%rsp)
    mov %r12, KEPT+16(%rsp)
    mov %r13, KEPT+24(%rsp)
    mov %r14, KEPT+32(%rsp)
    mov %r15, KEPT+40(%rsp)
    call *%r11
    mov %rax, RAX(%rsp)
    mov %rdx, R10(%rsp)
    movups %xmm0, ARGS(%rsp)
    movups %xmm1, ARGS+16(%rsp)
    mov %rsp, %rdi
    call *sn_redirect_leave(%rip)
    mov RAX(%rsp), %rax
    mov R10(%rsp), %rdx
    movups ARGS(%rsp), %xmm0
    movups ARGS+16(%rsp), %xmm1
    add $FRAME+8, %rsp
    .cfi_def_cfa_offset 8
    ret
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
