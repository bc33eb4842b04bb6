// Parallel quicksort (figure 2): with the boundaries swapped, the two halves overlap.
// EXPECT: data-race READ SWAP
// ALLOW: data-race SWAP SWAP
// ALLOW: data-race READ READ
// ALLOW: misuse READ
// ALLOW: misuse SWAP
#include <pthread.h>
#include <stdlib.h>

#define N 64
static int array[N];

struct range {
    int left, right;
};

static void sort(int left, int right);

static void *sort_range(void *arg)
{
    struct range *r = arg;
    sort(r->left, r->right);
    return NULL;
}

static void sort(int left, int right)
{
    int i = left, j = right, pivot = array[(left + right) / 2]; // READ
    do {
        while (array[i] < pivot) // READ
            i++;
        while (array[j] > pivot) // READ
            j--;
        if (i <= j) {
            int t = array[i]; // SWAP
            array[i] = array[j]; // SWAP
            array[j] = t; // SWAP
            i++;
            j--;
        }
    } while (i <= j);
    pthread_t a, b;
#ifdef FIXED
    struct range low = {left, j}, high = {i, right};
#else
    struct range low = {left, i}, high = {j, right};
#endif
    int has_low = low.left < low.right, has_high = high.left < high.right;
    if (has_low)
        pthread_create(&a, NULL, sort_range, &low);
    if (has_high)
        pthread_create(&b, NULL, sort_range, &high);
    if (has_low)
        pthread_join(a, NULL);
    if (has_high)
        pthread_join(b, NULL);
}

int main(void)
{
    for (int i = 0; i < N; i++)
        array[i] = (i * 7919) % N;
    sort(0, N - 1);
    for (int i = 0; i < N; i++)
        if (array[i] != i)
            abort();
    return 0;
}
