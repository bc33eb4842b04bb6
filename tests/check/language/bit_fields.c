// Bit fields, signed and unsigned, across units.
// EXPECT: misuse END
#include "verify.h"
struct bits {
    unsigned a : 3;
    int b : 5;
    unsigned long c : 40;
    unsigned d : 1;
} x = {5, -7, 0x123456789a, 1};

int main(void)
{
    VERIFY(x.a == 5 && x.b == -7 && x.c == 0x123456789a && x.d == 1);
    x.a += 4;
    x.b = 15;
    x.c <<= 4;
    x.d = 0;
    VERIFY(x.a == 1 && x.b == 15 && x.c == 0x23456789a0 && x.d == 0);
    REACHED(); // END
    return 0;
}
