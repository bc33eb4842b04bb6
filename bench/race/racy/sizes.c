/*
 * Accesses of different sizes that overlap: a whole word and one of its bytes, two unaligned words,
 * a structure copied and one of its fields.
 *
 * pairs: word-byte odd-even whole-field
 */
#include "hidden.h"

struct big {
    uint64_t a, b;
    uint16_t c, d;
    uint32_t e;
};

union {
    uint64_t word;
    unsigned char bytes[8];
} both;
_Alignas(16) unsigned char raw[32];
struct big shared, mine = {1, 2, 3, 4, 5};

struct __attribute__((packed)) unaligned {
    uint32_t value;
};

static void wide(void)
{
    both.word = 1;                                       /* [word] */
    ((volatile struct unaligned *)(raw + 5))->value = 7; /* [odd] */
    shared = mine;                                       /* [whole] */
}

static void narrow(void)
{
    both.bytes[5] = 2;                                   /* [byte] */
    ((volatile struct unaligned *)(raw + 8))->value = 9; /* [even] */
    shared.d = 6;                                        /* [field] */
}

int main(void)
{
    static const struct hidden_step steps[] = {{0, wide}, {1, narrow}};

    HIDDEN_RUN(steps, 2);
    return shared.d != 6;
}
