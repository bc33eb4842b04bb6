// Vector extensions, lane by lane.
// EXPECT: misuse END
#include "verify.h"
typedef int v4 __attribute__((vector_size(16)));
typedef float f4 __attribute__((vector_size(16)));

static v4 twice(v4 x)
{
    return x + x;
}

int main(void)
{
    v4 a = {1, 2, 3, 4}, b = {10, 20, 30, 40}, c = twice(a) * b - a;
    VERIFY(c[0] == 19 && c[1] == 78 && c[2] == 177 && c[3] == 316);
    v4 greater = c > b;
    VERIFY(greater[0] == -1 && greater[3] == -1 && (a > b)[0] == 0);
    int i = 2;
    c[i] = 5;
    VERIFY(c[2] == 5 && c[i + 1] == 316);
    f4 f = {1.5f, 2.5f}, g = f * 2;
    VERIFY(g[0] == 3 && g[1] == 5 && g[2] == 0);
    v4 s = __builtin_shufflevector(a, b, 3, 0, 5, 6);
    VERIFY(s[0] == 4 && s[1] == 1 && s[2] == 20 && s[3] == 30);
    REACHED(); // END
    return 0;
}
