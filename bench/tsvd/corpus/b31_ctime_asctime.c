// BUG: asctime ctime

#include "module.h"

static void *a(void *x)
{
    time_t t = 1;
    for (int i = 0; i < 40; i++) {
        if (ctime(&t))
            work(10);
    }
    return x;
}

static void *b(void *x)
{
    struct tm tm = {0};
    for (int i = 0; i < 40; i++) {
        if (asctime(&tm))
            work(10);
    }
    return x;
}

int main(void)
{
    both(a, b);
    return 0;
}
