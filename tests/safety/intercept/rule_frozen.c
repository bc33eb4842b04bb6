// EXPECT: frozen_set frozen_use
// OPTIONS: --contracts {dir}/rules.contract
// LIBRARY:
// LINK-LIBRARY:
// Settings are changed once, while others use the object; with FIXED before they do.
#include <stdio.h>

void frozen_set(int *f);
int frozen_use(int *f);

#ifdef LIBRARY
void frozen_set(int *f)
{
    (void)f;
}
int frozen_use(int *f)
{
    return *f;
}
#else
#include "together.h"

static atomic_int stop;

static void *use(void *f)
{
    frozen_use(f);
    arrive();
    while (!stop) {
        frozen_use(f);
        sched_yield();
    }
    return 0;
}

static void *set(void *f)
{
    arrive();
#ifdef FIXED
    (void)f;
#else
    frozen_set(f);
#endif
    stop = 1;
    return 0;
}

int main(void)
{
    int f = 0;
    frozen_set(&f);
    together(use, set, &f);
    puts("done");
    return 0;
}
#endif
