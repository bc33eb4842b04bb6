// Work that only one thread should do.
// EXPECT: data-race ONE/write ONE
// FLAGS: -fopenmp

static int n;

int main(void)
{
#pragma omp parallel
    {
#ifdef FIXED
#pragma omp single
#endif
        n++; // ONE
    }
    return n;
}
