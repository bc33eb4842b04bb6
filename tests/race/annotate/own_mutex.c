// A lock that the program builds itself, told with the __tsan_mutex interface.
// EXPECT: data-race RACE1 RACE1
// EXPECT-OBJECT: global counter
#include <sanitizer/tsan_interface.h>
#include "invisible.h"

int counter;
char own_lock;
static int word;

__attribute__((no_sanitize("thread"), noinline)) static void spin(int want)
{
    __asm__ volatile("1: movl %1, %%eax; xchgl %%eax, %0; cmpl %1, %%eax; je 1b"
                     : "+m"(word)
                     : "r"(want)
                     : "eax", "memory", "cc");
}

static void both(void)
{
    FIX(__tsan_mutex_pre_lock(&own_lock, 0));
    spin(1);
    FIX(__tsan_mutex_post_lock(&own_lock, 0, 0));
    counter++; // RACE1
    FIX(__tsan_mutex_pre_unlock(&own_lock, 0));
    spin(0);
    FIX(__tsan_mutex_post_unlock(&own_lock, 0));
}

int main(void)
{
    FIX(__tsan_mutex_create(&own_lock, 0));
    run_in_order(both, both);
    FIX(__tsan_mutex_destroy(&own_lock, 0));
    return counter - 2;
}
