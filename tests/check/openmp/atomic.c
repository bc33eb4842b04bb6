// omp atomic.
// EXPECT: data-race WORK/write WORK
// FLAGS: -fopenmp

static int n;

int main(void)
{
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < 8; i++) {
#ifdef FIXED
#pragma omp atomic
#endif
        n++; // WORK
    }
    return n;
}
