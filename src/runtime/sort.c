/*
 * sort.c: qsort moves elements inside libc, where nothing is instrumented: the whole array is
 * written. The comparison is the program's own code, so the real call runs outside any hook.
 * bsearch itself touches nothing: its comparison does, and is seen.
 */
#include <stdlib.h>

#include "runtime/real.h"
#include "runtime/touch.h"

static void touch_array(void *base, size_t n, size_t size, uintptr_t pc)
{
    size_t bytes;
    if (n < 2 || !sn_touching(pc) || __builtin_mul_overflow(n, size, &bytes))
        return;
    sn_touch_read(base, bytes, pc);
    sn_touch_write(base, bytes, pc);
}

SN_EXPORT void qsort(void *base, size_t n, size_t size, __compar_fn_t compare)
{
    touch_array(base, n, size, SN_CALLER);
    sn_pass(qsort)(base, n, size, compare);
}

SN_EXPORT void qsort_r(void *base, size_t n, size_t size, __compar_d_fn_t compare, void *arg)
{
    touch_array(base, n, size, SN_CALLER);
    sn_pass(qsort_r)(base, n, size, compare, arg);
}
