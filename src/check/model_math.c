/* model_math.c: functions of math.h that stay calls, computed by the host's library. */
#include <math.h>
#include <string.h>

#include "check/lib.h"

#define UNARY                                                                                      \
    U(sqrt) U(cbrt) U(sin) U(cos) U(tan) U(asin) U(acos) U(atan) U(sinh) U(cosh) U(tanh) U(exp)    \
    U(exp2) U(expm1) U(log) U(log2) U(log10) U(log1p) U(floor) U(ceil) U(round) U(trunc) U(rint)   \
    U(nearbyint) U(fabs) U(lgamma) U(tgamma) U(erf)
#define BINARY B(pow) B(atan2) B(fmod) B(hypot) B(fmin) B(fmax) B(fdim) B(copysign) B(remainder)

enum {
#define U(name) F_##name,
#define B(name) F_##name,
    UNARY BINARY
#undef U
#undef B
};

static double compute(int64_t which, double x, double y)
{
    switch (which) {
#define U(name) case F_##name: return name(x);
#define B(name) case F_##name: return name(x, y);
        UNARY BINARY
#undef U
#undef B
    default: return 0;
    }
}

static enum sn_result m_double(struct sn_call *c)
{
    struct sn_reg a = sn_arg(c, 0), b = c->nargs > 1 ? c->arg[1] : a;
    double x, y;
    memcpy(&x, &a.v, sizeof x);
    memcpy(&y, &b.v, sizeof y);
    double v = compute(sn_model_of(c)->extra, x, y);
    c->ret.u = a.u | b.u;
    memcpy(&c->ret.v, &v, sizeof v);
    return SN_DONE;
}

static enum sn_result m_float(struct sn_call *c)
{
    struct sn_reg a = sn_arg(c, 0), b = c->nargs > 1 ? c->arg[1] : a;
    float x, y;
    memcpy(&x, &a.v, sizeof x);
    memcpy(&y, &b.v, sizeof y);
    float v = (float)compute(sn_model_of(c)->extra, x, y);
    c->ret.u = a.u | b.u;
    memcpy(&c->ret.v, &v, sizeof v);
    return SN_DONE;
}

static const struct sn_model models[] = {
#define U(name) {#name, m_double, 0, F_##name}, {#name "f", m_float, 0, F_##name},
#define B(name) {#name, m_double, 0, F_##name}, {#name "f", m_float, 0, F_##name},
    UNARY BINARY
#undef U
#undef B
};
const struct sn_model_table sn_models_math = {models, sizeof models / sizeof *models};
