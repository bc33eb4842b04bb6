// switch, goto, computed goto, loops, the comma, the conditional operator.
// EXPECT: misuse END
#include "verify.h"
static int kind(long n)
{
    switch (n) {
    case -1:
        return 1;
    case 0:
    case 1:
        return 2;
    case 1000000000000:
        return 3;
    case 10 ... 19:
        return 4;
    default:
        return 5;
    }
}

static int machine(const char *code)
{
    static void *const labels[] = {&&stop, &&add, &&twice, &&jump};
    int n = 0;
next:
    goto *labels[(int)*code++ - '0'];
add:
    n++;
    goto next;
twice:
    n *= 2;
    goto next;
jump:
    code++;
    goto next;
stop:
    return n;
}

static int collatz(int n)
{
    int steps = 0;
    while (n != 1) {
        n = n % 2 ? 3 * n + 1 : n / 2;
        steps++;
        if (steps > 1000)
            break;
    }
    return steps;
}

int main(void)
{
    VERIFY(kind(-1) == 1 && kind(0) == 2 && kind(1) == 2 && kind(1000000000000) == 3 && kind(15) == 4 && kind(2) == 5);
    VERIFY(machine("1121231210") == 21);
    VERIFY(collatz(27) == 111);
    int sum = 0;
    for (int i = 0, j = 10; i < j; i++, j--) {
        if (i == 2)
            continue;
        do
            sum += i * j;
        while (0);
    }
    VERIFY(sum == 0 + 9 + 21 + 24);
    REACHED(); // END
    return 0;
}
