// Members of a union are one place.
// EXPECT: data-race RACE1/write/8 RACE2/write/4
// EXPECT-OBJECT: global place
#include "invisible.h"

#ifdef FIXED
struct {
#else
union {
#endif
    double real;
    int whole;
} place;

static void first(void)
{
    place.real = 1.0; // RACE1
}

static void second(void)
{
    place.whole = 1; // RACE2
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
