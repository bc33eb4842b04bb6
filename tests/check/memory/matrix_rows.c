// Rows of a matrix are distributed; one row belongs to two threads.
// EXPECT: data-race CELL CELL
#include "../twin.h"

#define N 4
static int a[N][N];

static void *rows(void *arg)
{
    int from = *(int *)arg;
    for (int i = from; i < from + PICK(3, 2) && i < N; i++)
        for (int j = 0; j < N; j++)
            a[i][j] += i * j; // CELL
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    int from[2] = {0, 2};
    for (int k = 0; k < 2; k++)
        pthread_create(&t[k], NULL, rows, &from[k]);
    for (int k = 0; k < 2; k++)
        pthread_join(t[k], NULL);
    return a[1][1];
}
