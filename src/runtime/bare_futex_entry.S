/*
 * bare_futex_entry.S: where the stubs of bare_futex.c go. They stand for a system call, which changes
 * rax, rcx and r11 only: all else that a function may change is kept, with the vector registers as
 * far as code for every x86-64 uses them.
 */
    .text
    .globl sn_bare_futex_entry
    .hidden sn_bare_futex_entry
    .type sn_bare_futex_entry, @function
    .balign 16
sn_bare_futex_entry:
    .cfi_startproc
    push %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    mov %rsp, %rbp
    .cfi_def_cfa_register %rbp
    push %r9
    push %r8
    push %r10
    push %rdx
    push %rsi
    push %rdi
    mov %rsp, %rdi /* the six arguments */
    mov 8(%rbp), %rsi
    mov %rax, %rdx
    sub $256, %rsp
    and $-16, %rsp
    .altmacro
    .macro keep number
    movups %xmm\number, \number * 16(%rsp)
    .endm
    .macro give number
    movups \number * 16(%rsp), %xmm\number
    .endm
    .set n, 0
    .rept 16
    keep %n
    .set n, n + 1
    .endr
    call sn_bare_futex
    .set n, 0
    .rept 16
    give %n
    .set n, n + 1
    .endr
    lea -48(%rbp), %rsp
    pop %rdi
    pop %rsi
    pop %rdx
    pop %r10
    pop %r8
    pop %r9
    pop %rbp
    .cfi_def_cfa %rsp, 8
    ret
    .cfi_endproc
    .size sn_bare_futex_entry, . - sn_bare_futex_entry

    .section .note.GNU-stack, "", @progbits
