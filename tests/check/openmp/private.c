// A variable that should be private.
// EXPECT: data-race TEMP/write TEMP
// FLAGS: -fopenmp

static int out[8];

int main(void)
{
    int temp;
#ifdef FIXED
#pragma omp parallel for private(temp)
#else
#pragma omp parallel for
#endif
    for (int i = 0; i < 8; i++) {
        temp = i * i; // TEMP
        out[i] = temp; // TEMP
    }
    return out[3];
}
