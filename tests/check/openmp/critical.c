// A critical section.
// EXPECT: data-race WORK/write WORK
// FLAGS: -fopenmp

static int n;

int main(void)
{
#pragma omp parallel
    {
#ifdef FIXED
#pragma omp critical
#endif
        n++; // WORK
    }
    return n;
}
