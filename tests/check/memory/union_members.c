// Members of a union lie at one place.
// EXPECT: data-race INT FLOAT
#include "../twin.h"

PICK(union, struct) {
    int i;
    float f;
} value;

static void *as_int(void *arg)
{
    value.i = 1; // INT
    return arg;
}

static void *as_float(void *arg)
{
    value.f = 2.5f; // FLOAT
    return arg;
}

int main(void)
{
    run_two(as_int, as_float);
    return 0;
}
