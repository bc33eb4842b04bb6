// Two phases with and without a barrier.
// EXPECT: data-race WRITE/write READ/read
// FLAGS: -fopenmp

extern int omp_get_thread_num(void);
static int cell[8], sum[8];

int main(void)
{
#pragma omp parallel num_threads(3)
    {
        int me = omp_get_thread_num();
        cell[me] = me; // WRITE
#ifdef FIXED
#pragma omp barrier
#endif
        sum[me] = cell[(me + 1) % 3]; // READ
    }
    return sum[0];
}
