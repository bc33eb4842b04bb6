// A race declared benign is not reported; the bytes beside it are.
// EXPECT: data-race RACE1 RACE2
// EXPECT-OBJECT: global pair
#include "invisible.h"

void AnnotateBenignRaceSized(const char *file, int line, const volatile void *address, size_t size,
                             const char *description);

long pair[2];

static void first(void)
{
    pair[0] = 1;
    hidden_count(0);
    pair[1] = 1; // RACE1
}

static void second(void)
{
    pair[0] = 2;
    BUG(pair[1] = 2;) // RACE2
}

int main(void)
{
    AnnotateBenignRaceSized(__FILE__, __LINE__, &pair[0], sizeof(pair[0]), "only a statistic");
    run_in_order(first, second);
    return 0;
}
