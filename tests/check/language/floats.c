// float, double and long double.
// EXPECT: misuse END
#include "verify.h"
#include <math.h>

static volatile double third = 1.0 / 3;
static volatile float quarter = 0.25f;
static volatile long double tenth = 0.1L;

int main(void)
{
    VERIFY(third * 3 == 1.0 && third < 0.34 && (int)(third * 10) == 3 && -third < 0);
    VERIFY(quarter * 4 == 1.0f && (double)quarter == 0.25 && quarter != third);
    VERIFY(tenth * 10 > 0.999999L && (double)(tenth * 5) == 0.5 && tenth > 0.09L);
    VERIFY((int)-3.9 == -3 && (unsigned char)200.7 == 200 && (uint64_t)1e18 == 1000000000000000000u);
    VERIFY((float)16777217 == 16777216.0f && (double)16777217 == 16777217.0);
    VERIFY(sqrt(16.0) == 4.0 && fabs(-2.5) == 2.5 && floor(-1.5) == -2.0 && ceil(1.2) == 2.0 && pow(2, 10) == 1024);
    double nan = third - third;
    nan = nan / nan;
    VERIFY(nan != nan && !(nan < 1) && !(nan > 1) && isnan(nan) && isinf(1 / (third - third)));
    VERIFY(fmod(7.5, 2.0) == 1.5 && sinf(0) == 0 && fmaxf(1, 2) == 2);
    REACHED(); // END
    return 0;
}
