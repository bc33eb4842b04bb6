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

SN_LOOK int sn_look_is(const uint64_t *word, uint64_t is)
{
    int yes;
    __asm__("cmpq %2, %1" : "=@cce"(yes) : "m"(*word), "er"(is));
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

/* The word, if it is the name of a granule's fields (word.h); looked at once, since it may be
 * another one the next time. */
SN_LOOK uint64_t sn_look_name(const uint64_t *word, int *is_fields)
{
    register uint64_t name __asm__("r10");
    __asm__("movq %2, %0\n\tmovl %k0, %%r11d\n\tandl $0x1ff, %%r11d\n\tcmpl $0x100, %%r11d"
            : "=&r"(name), "=@cce"(*is_fields)
            : "m"(*word)
            : "r11");
    return name;
}

/* Of the field of so many bytes that begins at this byte, the first word (fields.h). A wide field
 * that begins at an odd byte is not found: its place is then that of another one's second word,
 * which has other bytes. */
SN_LOOK const uint64_t *sn_look_field(uint64_t name, uintptr_t addr, unsigned size)
{
    register uint64_t field __asm__("r10") = name;
#define SN_LOOK_FIELD(odd)                                                                         \
    __asm__("movl %k1, %%r11d\n\tshrq $16, %0\n\tandl $7, %%r11d\n\tleaq (%0,%%r11,8), %0" odd     \
            : "+r"(field)                                                                          \
            : "r"(addr)                                                                            \
            : "r11", "cc")
    if (size == 1)
        SN_LOOK_FIELD("\n\tandl $1, %%r11d\n\timull $56, %%r11d, %%r11d\n\taddq %%r11, %0");
    else
        SN_LOOK_FIELD("");
#undef SN_LOOK_FIELD
    return (const uint64_t *)field;
}

/* The word has exactly these bytes. */
SN_LOOK int sn_look_mask(const uint64_t *word, unsigned mask)
{
    int yes;
    __asm__("cmpb %b2, %1" : "=@cce"(yes) : "m"(*(const uint8_t *)word), "q"(mask));
    return yes;
}

#endif
