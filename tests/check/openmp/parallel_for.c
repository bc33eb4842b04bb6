// A sum in a parallel loop.
// EXPECT: data-race SUM/write SUM
// FLAGS: -fopenmp

static int sum;

int main(void)
{
    int total = 0;
#ifdef FIXED
#pragma omp parallel for reduction(+ : total)
#else
#pragma omp parallel for
#endif
    for (int i = 0; i < 20; i++) {
#ifdef FIXED
        total += i;
#else
        sum += i; // SUM
#endif
    }
    return sum + total;
}
