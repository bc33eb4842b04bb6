/* Array kernel: the product of two SCALE x SCALE matrices of doubles; each thread owns rows. */
#include "work.h"

static double *left, *right, *product;
static unsigned threads;
static size_t n;

static void multiply_row(size_t row)
{
    for (size_t k = 0; k < n; k++) {
        double factor = left[row * n + k];

        for (size_t column = 0; column < n; column++)
            product[row * n + column] += factor * right[k * n + column];
    }
}

static void *worker(void *arg)
{
    for (size_t row = (uintptr_t)arg; row < n; row += threads)
        multiply_row(row);
    return NULL;
}

int main(int argc, char **argv)
{
    struct work_args args = work_parse(argc, argv, 4, 400);
    uint64_t sum = 0;

    threads = args.threads;
    n = args.scale;
    left = work_new(n * n, sizeof *left);
    right = work_new(n * n, sizeof *right);
    product = work_new(n * n, sizeof *product);
    for (size_t i = 0; i < n * n; i++) {
        left[i] = (double)(i % 17);
        right[i] = (double)(i % 23);
    }
    work_run(threads, worker);
    for (size_t i = 0; i < n * n; i++)
        sum = work_mix(sum + (uint64_t)product[i]);
    return work_print("matrix", sum);
}
