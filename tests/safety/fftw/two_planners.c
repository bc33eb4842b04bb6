// EXPECT: fftw_plan_dft_1d fftw_plan_dft_1d
// ALLOW: fftw_destroy_plan fftw_plan_dft_1d
// ALLOW: fftw_destroy_plan fftw_destroy_plan
// LIB: libfftw3.so.3
// Plans of their own, but one planner.
#include <stdio.h>

#include "together.h"

void *fftw_plan_dft_1d(int n, double *in, double *out, int sign, unsigned flags);
void fftw_execute(const void *plan);
void fftw_destroy_plan(void *plan);

static void *transform(void *unused)
{
    double in[16] = {0}, out[16];
    arrive();
    for (int i = 0; i < 40; i++) {
        LOCK;
        void *plan = fftw_plan_dft_1d(8, in, out, -1, 64);
        UNLOCK;
        fftw_execute(plan);
        LOCK;
        fftw_destroy_plan(plan);
        UNLOCK;
    }
    return unused;
}

int main(void)
{
    together(transform, transform, 0);
    puts("done");
    return 0;
}
