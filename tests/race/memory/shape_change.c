// A granule is used as one word, then by bytes, then as a word again by another thread.
// EXPECT: data-race RACE1/write/1 RACE2/write/8
// EXPECT-OBJECT: global cell
#include "invisible.h"

union {
    unsigned long word;
    char byte[8];
} cell;

static void *first(void *arg)
{
    cell.byte[5] = 2; // RACE1
    hidden_post(0);
    return arg;
}

static void *second(void *arg)
{
    hidden_wait(0);
    BUG(cell.word = 3;) // RACE2
    FIX(cell.byte[4] = 3);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    cell.word = 1;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    cell.word = 4;
    return 0;
}
