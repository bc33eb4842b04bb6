// Pages are unmapped by one thread and mapped again by another: fresh memory, no race.
// EXPECT: data-race RACE1/write RACE2/write
#include <sys/mman.h>
#include "invisible.h"

static char *page;

static void first(void)
{
    page[100] = 1; // RACE1
    FIX(munmap(page, 4096));
}

static void second(void)
{
    FIX(mmap(page, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
    page[100] = 2; // RACE2
}

int main(void)
{
    page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    run_in_order(first, second);
    return 0;
}
