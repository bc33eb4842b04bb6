// The compiler is told to mark volatile accesses: __tsan_volatile_read and _write.
// FLAGS-gcc: --param tsan-distinguish-volatile=1
// FLAGS-clang: -mllvm -tsan-distinguish-volatile=1
// EXPECT: data-race ONE ALSO_ONE
// EXPECT: data-race TWO ALSO_TWO
// EXPECT: data-race FOUR ALSO_FOUR
// EXPECT: data-race EIGHT ALSO_EIGHT
// EXPECT: data-race ODD ALSO_ODD
// PEER: tsan cannot: its runtime has no __tsan_volatile functions
#include <stdint.h>
#include "invisible.h"

volatile uint8_t one;
volatile uint16_t two;
volatile uint32_t four;
volatile uint64_t eight;
struct __attribute__((packed)) {
    char before;
    volatile uint32_t value;
} odd;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
uint64_t sum;

static void first(void)
{
    FIX(pthread_mutex_lock(&mutex));
    one = 1;       // ONE
    two = 1;       // TWO
    four = 1;      // FOUR
    eight = 1;     // EIGHT
    odd.value = 1; // ODD
    FIX(pthread_mutex_unlock(&mutex));
}

static void second(void)
{
    FIX(pthread_mutex_lock(&mutex));
    sum += one;       // ALSO_ONE
    sum += two;       // ALSO_TWO
    sum += four;      // ALSO_FOUR
    sum += eight;     // ALSO_EIGHT
    sum += odd.value; // ALSO_ODD
    FIX(pthread_mutex_unlock(&mutex));
}

int main(void)
{
    run_in_order(first, second);
    return 0;
}
