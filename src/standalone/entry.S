/*
 * entry.S: where stubs go that must leave the program's arguments alone. The C code behind them is
 * compiled without vector registers, so only the general ones are kept.
 */
    .text

/* r11d: the site. Called by the stub, returns to it. */
    .globl sn_sa_before
    .type sn_sa_before, @function
sn_sa_before:
    .cfi_startproc
    push %rax
    push %rcx
    push %r8
    push %r9
    push %r10
    push %rdx
    push %rsi
    push %rdi
    mov %rsp, %rsi
    mov %r11d, %edi
    push %rbx
    mov %rsp, %rbx
    and $-16, %rsp
    call sn_sa_call
    mov %rbx, %rsp
    pop %rbx
    pop %rdi
    pop %rsi
    pop %rdx
    pop %r10
    pop %r9
    pop %r8
    pop %rcx
    pop %rax
    ret
    .cfi_endproc
    .size sn_sa_before, . - sn_sa_before

    .section .note.GNU-stack,"",@progbits
