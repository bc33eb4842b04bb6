// Read-modify-writes reported by one call: __tsan_read_writeN.
// FLAGS-clang: -mllvm -tsan-compound-read-before-write=1
// EXPECT: data-race ONE ALSO_ONE
// EXPECT: data-race TWO ALSO_TWO
// EXPECT: data-race FOUR ALSO_FOUR
// EXPECT: data-race EIGHT ALSO_EIGHT
// EXPECT: data-race ODD ALSO_ODD
// PEER: clang-tsan cannot: its runtime has no __tsan_read_write functions
#include <stdint.h>
#include "invisible.h"

uint8_t one;
uint16_t two;
uint32_t four;
uint64_t eight;
struct __attribute__((packed)) {
    char before;
    uint32_t value;
} odd;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void first(void)
{
    FIX(pthread_mutex_lock(&mutex));
    one++;       // ONE
    two++;       // TWO
    four++;      // FOUR
    eight++;     // EIGHT
    odd.value++; // ODD
    FIX(pthread_mutex_unlock(&mutex));
}

static void second(void)
{
    FIX(pthread_mutex_lock(&mutex));
    one--;       // ALSO_ONE
    two--;       // ALSO_TWO
    four--;      // ALSO_FOUR
    eight--;     // ALSO_EIGHT
    odd.value--; // ALSO_ODD
    FIX(pthread_mutex_unlock(&mutex));
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
