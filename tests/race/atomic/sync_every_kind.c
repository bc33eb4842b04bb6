// Each __sync read-modify-write orders what came before it in the one thread before the other's.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global data
#include "invisible.h"

enum { SLOTS = 8 };
int data[SLOTS], word[SLOTS], unrelated[SLOTS], sum;

#define EACH(STEP, w)                                                                              \
    STEP(__sync_fetch_and_add(&w[0], 1))                                                           \
    STEP(__sync_sub_and_fetch(&w[1], 1))                                                           \
    STEP(__sync_fetch_and_or(&w[2], 1))                                                            \
    STEP(__sync_xor_and_fetch(&w[3], 1))                                                           \
    STEP(__sync_fetch_and_and(&w[4], 1))                                                           \
    STEP(__sync_add_and_fetch(&w[5], 1))                                                           \
    STEP(__sync_bool_compare_and_swap(&w[6], 0, 0))                                                \
    STEP(__sync_val_compare_and_swap(&w[7], 0, 0))

__attribute__((noinline)) static void put(int n)
{
    data[n] = 1; // RACE1
}

__attribute__((noinline)) static void get(int n)
{
    sum += data[n]; // RACE2
}

#define PUT(operation) put(n++), (void)operation;
#define GET(operation) (void)operation, get(n++);

static void first(void)
{
    int n = 0;
    EACH(PUT, word);
}

static void second(void)
{
    int n = 0;
    EACH(GET, PICK(unrelated, word));
}

int main(void)
{
    run_in_order(first, second);
    return sum - SLOTS;
}
