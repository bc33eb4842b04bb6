// 128-bit integers.
// EXPECT: misuse END
#include "verify.h"
static volatile int64_t big = INT64_MAX;

int main(void)
{
    __int128 a = (__int128)big * 4, b = -a;
    unsigned __int128 u = (unsigned __int128)a << 60;
    VERIFY((int64_t)(a >> 2) == big && (int64_t)(b / 4) == -big && a > b && b < 0);
    VERIFY((uint64_t)(u >> 60) == (uint64_t)a && u / 16 == (unsigned __int128)a << 56);
    VERIFY((a + b) == 0 && (a ^ a) == 0 && (int)(a % 7) == (int)((((__int128)big % 7) * 4) % 7));
    __int128 array[2] = {a, b};
    VERIFY(array[0] + array[1] == 0);
    REACHED(); // END
    return 0;
}
