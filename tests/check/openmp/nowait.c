// A loop without its barrier: the next one reads too early.
// EXPECT: data-race FIRST/write SECOND/read
// FLAGS: -fopenmp

static int a[8], b[8];

int main(void)
{
#pragma omp parallel
    {
#ifdef FIXED
#pragma omp for
#else
#pragma omp for nowait
#endif
        for (int i = 0; i < 8; i++)
            a[i] = i; // FIRST
#pragma omp for
        for (int i = 0; i < 8; i++)
            b[i] = a[7 - i]; // SECOND
    }
    return b[0];
}
