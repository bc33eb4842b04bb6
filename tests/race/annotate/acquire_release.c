// __tsan_release and __tsan_acquire on any address, for synchronisation that no tool can see.
// EXPECT: data-race RACE1 RACE2
// EXPECT-OBJECT: global data
#include <sanitizer/tsan_interface.h>
#include "invisible.h"

int data, seen, token;

static void first(void)
{
    data = 1; // RACE1
    FIX(__tsan_release(&token));
}

static void second(void)
{
    __tsan_acquire(&token);
    seen = data; // RACE2
}

int main(void)
{
    run_in_order(first, second);
    return seen - 1;
}
