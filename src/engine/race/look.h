/*
 * look.h: comparisons with shadow words that leave nothing of the shadow in a register which the
 * caller's code is likely to use next.
 *
 * A hook of the memory path returns before its loads have arrived: the branches on them are
 * predicted, and the program goes on. It does not if it then writes a part of a register, `setb
 * %al` say, that holds what the hook loaded: the processor merges it with the rest and waits for
 * the shadow, which is often not in the cache. Compilers take eax first; after a call they mostly
 * leave r10 and r11 alone.
 */
#ifndef SN_RACE_LOOK_H
#define SN_RACE_LOOK_H

#include <stdint.h>

#define SN_LOOK static inline __attribute__((always_inline))

/* The upper half of the word, an epoch or a number. */
SN_LOOK int sn_look_upper(const uint64_t *word, uint32_t is)
{
    int yes;
    __asm__("cmpl %2, %1" : "=@cce"(yes) : "m"(((const uint32_t *)word)[1]), "r"(is));
    return yes;
}

/* The word has every byte of the mask. */
SN_LOOK int sn_look_covers(const uint64_t *word, unsigned mask)
{
    int yes;
    if (__builtin_constant_p(mask) && mask == 0xff)
        __asm__("cmpb $0xff, %1" : "=@cce"(yes) : "m"(*(const uint8_t *)word));
    else
        __asm__("movl %2, %%r11d\n\tandb %1, %%r11b\n\tcmpb %b2, %%r11b"
                : "=@cce"(yes)
                : "m"(*(const uint8_t *)word), "r"(mask)
                : "r11");
    return yes;
}

/* The same for the bytes of an access of 1, 2, 4 or 8 bytes, which lies inside the granule: all
 * bits but these are turned to their places, and then none may be missing. */
SN_LOOK int sn_look_holds(const uint64_t *word, uintptr_t addr, unsigned size)
{
    int yes;
    if (size == 8)
        return sn_look_covers(word, 0xff);
    if (size == 1)
        __asm__("movl $1, %%r11d\n\trolb %%cl, %%r11b\n\ttestb %%r11b, %1"
                : "=@ccnz"(yes)
                : "m"(*(const uint8_t *)word), "c"(addr)
                : "r11");
    else
        __asm__("movl %3, %%r11d\n\trolb %%cl, %%r11b\n\torb %1, %%r11b\n\tincb %%r11b"
                : "=@ccz"(yes)
                : "m"(*(const uint8_t *)word), "c"(addr), "ri"(0xff & 0xff << size)
                : "r11");
    return yes;
}

SN_LOOK int sn_look_same(const uint64_t *a, const uint64_t *b)
{
    int yes;
    __asm__("movq %1, %%r11\n\tcmpq %2, %%r11" : "=@cce"(yes) : "m"(*a), "m"(*b) : "r11");
    return yes;
}

/* The entry for the word's upper half in a table of 64 entries, each with its own upper half. */
SN_LOOK const uint64_t *sn_look_entry(const uint64_t *word, const uint64_t *table, int *is_it)
{
    register const uint64_t *entry __asm__("r10");
    __asm__("movl %[n], %%r11d\n\t"
            "movl %%r11d, %%r10d\n\t"
            "andl $63, %%r10d\n\t"
            "leaq (%[table],%%r10,8), %%r10\n\t"
            "cmpl %%r11d, 4(%%r10)"
            : "=&r"(entry), "=@cce"(*is_it)
            : [n] "m"(((const uint32_t *)word)[1]), [table] "r"(table)
            : "r11", "memory");
    return entry;
}

/* The word is the name of a granule's fields (word.h). */
SN_LOOK int sn_look_is_fields(const uint64_t *word)
{
    int yes;
    __asm__("movl %1, %%r11d\n\tandl $0x1ff, %%r11d\n\tcmpl $0x100, %%r11d"
            : "=@cce"(yes)
            : "m"(*(const uint32_t *)word)
            : "r11");
    return yes;
}

/* Of the field that begins at this byte the first word (fields.h). */
SN_LOOK const uint64_t *sn_look_field(const uint64_t *word, uintptr_t addr)
{
    register const uint64_t *field __asm__("r10");
    __asm__("movq %[name], %%r10\n\t"
            "movl %k[addr], %%r11d\n\t"
            "shrq $16, %%r10\n\t"
            "andl $7, %%r11d\n\t"
            "leaq (%%r10,%%r11,8), %%r10\n\t"
            "andl $1, %%r11d\n\t"
            "imull $56, %%r11d, %%r11d\n\t"
            "addq %%r11, %%r10"
            : "=&r"(field)
            : [name] "m"(*word), [addr] "r"(addr)
            : "r11", "cc");
    return field;
}

/* The word has exactly these bytes. */
SN_LOOK int sn_look_mask(const uint64_t *word, unsigned mask)
{
    int yes;
    __asm__("cmpb %b2, %1" : "=@cce"(yes) : "m"(*(const uint8_t *)word), "q"(mask));
    return yes;
}

#endif
