// BUG: gmtime localtime
// Each place is reached once.

#include "module.h"

static void *a(void *x)
{
    time_t t = 1;
    work(60);
    x = localtime(&t);
    work(300);
    return x;
}

static void *b(void *x)
{
    time_t t = 2;
    work(110);
    x = gmtime(&t);
    work(300);
    return x;
}

int main(void)
{
    both(a, b);
    return 0;
}
