// BUG: getenv setenv

#include "module.h"

static void *configure(void *x)
{
    for (int i = 0; i < 30; i++) {
        setenv("LEVEL", i & 1 ? "1" : "22", 1);
        work(15);
    }
    return x;
}

static void *look(void *x)
{
    for (int i = 0; i < 60; i++) {
        if (getenv("LEVEL"))
            work(7);
    }
    return x;
}

int main(void)
{
    setenv("LEVEL", "0", 1);
    both(configure, look);
    return 0;
}
