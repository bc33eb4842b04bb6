/*
 * Barrier phases: a 512 x 512 grid of floats is smoothed SCALE times; each thread owns a band of
 * rows, reads its neighbours' border rows, and meets the others at a barrier after each sweep.
 */
#include "work.h"

#define SIDE 512

static float grids[2][SIDE][SIDE];
static pthread_barrier_t barrier;
static unsigned threads;
static unsigned long scale;

static void smooth_row(float (*to)[SIDE], float (*from)[SIDE], unsigned row)
{
    for (unsigned x = 1; x + 1 < SIDE; x++)
        to[row][x] =
            0.25f * (from[row - 1][x] + from[row + 1][x] + from[row][x - 1] + from[row][x + 1]);
}

static void *worker(void *arg)
{
    unsigned self = (unsigned)(uintptr_t)arg;
    unsigned first = 1 + (SIDE - 2) * self / threads;
    unsigned end = 1 + (SIDE - 2) * (self + 1) / threads;

    for (unsigned long sweep = 0; sweep < scale; sweep++) {
        for (unsigned row = first; row < end; row++)
            smooth_row(grids[(sweep + 1) % 2], grids[sweep % 2], row);
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct work_args args = work_parse(argc, argv, 4, 250);
    uint64_t sum = 0;

    threads = args.threads;
    scale = args.scale;
    for (unsigned i = 0; i < SIDE; i++)
        grids[0][i][0] = grids[1][i][0] = grids[0][0][i] = grids[1][0][i] = (float)(i % 100);
    pthread_barrier_init(&barrier, NULL, threads);
    work_run(threads, worker);
    for (unsigned i = 0; i < SIDE * SIDE; i++)
        sum = work_mix(sum + (uint64_t)(grids[scale % 2][i / SIDE][i % SIDE] * 1024));
    return work_print("stencil", sum);
}
