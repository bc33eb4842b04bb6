// Many readers are no race; a late writer is.
// EXPECT: data-race LATE/write READ/read
#include "../twin.h"

int table[4];
int sums[2];

static void *sum(void *arg)
{
    int total = 0;
    for (int i = 0; i < 4; i++)
        total += table[i]; // READ
    *(int *)arg = total;
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 4; i++)
        table[i] = i;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, sum, &sums[i]);
    BUG(table[2] = 9); // LATE
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    FIX(table[2] = 9);
    return sums[0];
}
