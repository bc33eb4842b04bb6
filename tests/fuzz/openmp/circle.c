/* circle.c: two critical sections in two orders: threads that wait inside the library, and nobody is left. */
static int first, second;

int main(void)
{
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
#pragma omp critical(one)
        {
            first++;
#pragma omp critical(two)
            second++;
        }
#pragma omp section
#ifdef FIXED
#pragma omp critical(one)
        {
            first++;
#pragma omp critical(two)
            second++;
        }
#else
#pragma omp critical(two)
        {
            second++;
#pragma omp critical(one)
            first++;
        }
#endif
    }
    return first != 2 || second != 2;
}
