// Integers of all widths, signed and unsigned.
// EXPECT: misuse END
#include "verify.h"
static int8_t i8 = -100;
static uint8_t u8 = 250;
static int16_t i16 = -30000;
static uint16_t u16 = 65000;
static int32_t i32 = INT32_MIN;
static uint32_t u32 = 4000000000u;
static int64_t i64 = INT64_MIN;
static uint64_t u64 = UINT64_MAX;
static volatile int seven = 7, minus = -3;

int main(void)
{
    i8 = (int8_t)(i8 - 100);
    u8 = (uint8_t)(u8 + 10);
    i16 = (int16_t)(i16 - 10000);
    u16 += 1000;
    VERIFY(i8 == 56 && u8 == 4 && i16 == 25536 && u16 == 464);
    VERIFY(i32 / 2 == -1073741824 && i32 >> 3 == -268435456 && (uint32_t)i32 >> 3 == 268435456u);
    VERIFY(u32 / 3 == 1333333333u && u32 * 2 == 3705032704u);
    VERIFY(i64 / 10 == -922337203685477580 && i64 % 10 == -8 && u64 / 10 == 1844674407370955161u);
    VERIFY(seven / minus == -2 && seven % minus == 1 && -seven / minus == 2 && -seven % minus == -1);
    VERIFY((int64_t)minus == -3 && (uint64_t)minus == UINT64_MAX - 2 && (uint8_t)minus == 253);
    VERIFY(seven << 28 == 0x70000000 && minus >> 1 == -2 && (unsigned)minus > 5u && minus < 5);
    VERIFY((int8_t)seven * minus == -21 && (seven & minus) == 5 && (seven | minus) == -1 && (seven ^ minus) == -6);
    VERIFY(~seven == -8 && !seven == 0 && -minus == 3);
    int x;
    VERIFY(__builtin_add_overflow(INT32_MAX, seven, &x) && !__builtin_sub_overflow(seven, 3, &x) && x == 4);
    VERIFY(__builtin_popcount(0xff0f) == 12 && __builtin_clz(1) == 31 && __builtin_ctzll(8) == 3);
    VERIFY(__builtin_bswap32(0x12345678) == 0x78563412);
    REACHED(); // END
    return 0;
}
