/*
 * smt.c: difference logic by Z3's C API, the only file that knows it. The library is large, and one
 * command in ten needs it: it is loaded when that asks. Without it no answer is known.
 */
#include "predict/smt.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/* Of z3_api.h: what a handle is made for stands in its name there. */
#define FUNCTIONS(F)                                                                               \
    F(void *, mk_config, (void))                                                                   \
    F(void, del_config, (void *config))                                                            \
    F(void *, mk_context, (void *config))                                                          \
    F(void, del_context, (void *c))                                                                \
    F(void, set_error_handler, (void *c, void (*handler)(void *c, int error)))                     \
    F(const char *, get_error_msg, (void *c, int error))                                           \
    F(void *, mk_int_symbol, (void *c, int i))                                                     \
    F(void *, mk_string_symbol, (void *c, const char *s))                                          \
    F(void *, mk_int_sort, (void *c))                                                              \
    F(void *, mk_bool_sort, (void *c))                                                             \
    F(void *, mk_const, (void *c, void *symbol, void *sort))                                       \
    F(void *, mk_int, (void *c, int v, void *sort))                                                \
    F(void *, mk_le, (void *c, void *a, void *b))                                                  \
    F(void *, mk_not, (void *c, void *a))                                                          \
    F(void *, mk_or, (void *c, unsigned n, void *const a[]))                                       \
    F(void *, mk_sub, (void *c, unsigned n, void *const a[]))                                      \
    F(void *, mk_solver_for_logic, (void *c, void *logic))                                         \
    F(void, solver_inc_ref, (void *c, void *solver))                                               \
    F(void, solver_dec_ref, (void *c, void *solver))                                               \
    F(void, solver_set_params, (void *c, void *solver, void *params))                              \
    F(void, solver_assert, (void *c, void *solver, void *a))                                       \
    F(int, solver_check_assumptions, (void *c, void *solver, unsigned n, void *const a[]))         \
    F(void *, solver_get_model, (void *c, void *solver))                                           \
    F(void *, mk_params, (void *c))                                                                \
    F(void, params_inc_ref, (void *c, void *params))                                               \
    F(void, params_dec_ref, (void *c, void *params))                                               \
    F(void, params_set_uint, (void *c, void *params, void *name, unsigned v))                      \
    F(void, model_inc_ref, (void *c, void *model))                                                 \
    F(void, model_dec_ref, (void *c, void *model))                                                 \
    F(bool, model_eval, (void *c, void *model, void *a, bool complete, void **value))              \
    F(bool, get_numeral_int64, (void *c, void *a, int64_t *value))                                 \
    F(int, get_bool_value, (void *c, void *a))

enum { IS_FALSE = -1, NOT_KNOWN, IS_TRUE }; /* Z3_lbool */

#define MEMBER(type, name, args) type(*name) args;
static struct {
    FUNCTIONS(MEMBER)
} z3;

struct sn_smt {
    void *c /* null: no Z3 */, *solver, *model, *integer, *boolean;
    void **number, **truth;
    uint32_t nnumbers, cap_numbers, ntruths, cap_truths;
};

static bool load(void)
{
    void *lib = dlopen("libz3.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!lib)
        lib = dlopen("libz3.so", RTLD_NOW | RTLD_LOCAL);
    bool found = lib;
#define FIND(type, name, args) found = found && (z3.name = (type(*) args)dlsym(lib, "Z3_" #name));
    FUNCTIONS(FIND)
    return found;
}

bool sn_smt_available(void)
{
    static enum { NOT_ASKED, NO, YES } answer;
    if (answer == NOT_ASKED)
        answer = load() ? YES : NO;
    return answer == YES;
}

/* Z3 is used as documented: an error here is a mistake in snag. */
static void on_error(void *c, int e)
{
    fprintf(stderr, "snag: Z3: %s\n", z3.get_error_msg(c, e));
    abort();
}

static void open_context(struct sn_smt *s)
{
    if (!sn_smt_available())
        return;
    void *config = z3.mk_config();
    s->c = z3.mk_context(config);
    z3.del_config(config);
    z3.set_error_handler(s->c, on_error);
    s->solver = z3.mk_solver_for_logic(s->c, z3.mk_string_symbol(s->c, "QF_IDL"));
    z3.solver_inc_ref(s->c, s->solver);
    s->integer = z3.mk_int_sort(s->c);
    s->boolean = z3.mk_bool_sort(s->c);
}

static void close_context(struct sn_smt *s)
{
    if (!s->c)
        return;
    if (s->model)
        z3.model_dec_ref(s->c, s->model);
    s->model = NULL;
    z3.solver_dec_ref(s->c, s->solver);
    z3.del_context(s->c);
}

struct sn_smt *sn_smt_new(void)
{
    struct sn_smt *s = calloc(1, sizeof *s);
    if (!s)
        abort();
    open_context(s);
    return s;
}

void sn_smt_free(struct sn_smt *s)
{
    if (!s)
        return;
    close_context(s);
    free(s->number);
    free(s->truth);
    free(s);
}

void sn_smt_reset(struct sn_smt *s)
{
    if (s->nnumbers == 0 && s->ntruths == 0)
        return;
    close_context(s);
    open_context(s);
    s->nnumbers = s->ntruths = 0;
}

static uint32_t keep(struct sn_smt *s, void ***list, uint32_t *n, uint32_t *cap, int name,
                     void *sort)
{
    if (*n == *cap) {
        *cap = *cap ? *cap * 2 : 256;
        *list = realloc(*list, *cap * sizeof **list);
        if (!*list)
            abort();
    }
    (*list)[*n] = s->c ? z3.mk_const(s->c, z3.mk_int_symbol(s->c, name), sort) : NULL;
    return (*n)++;
}

uint32_t sn_smt_number(struct sn_smt *s)
{
    return keep(s, &s->number, &s->nnumbers, &s->cap_numbers, (int)(2 * s->nnumbers), s->integer);
}

uint32_t sn_smt_numbers(const struct sn_smt *s)
{
    return s->nnumbers;
}

uint32_t sn_smt_truth(struct sn_smt *s)
{
    return keep(s, &s->truth, &s->ntruths, &s->cap_truths, (int)(2 * s->ntruths + 1), s->boolean);
}

/* a < b as a - b <= -1, the form of difference logic. */
static void *less(struct sn_smt *s, uint32_t a, uint32_t b)
{
    void *pair[2] = {s->number[a], s->number[b]};
    return z3.mk_le(s->c, z3.mk_sub(s->c, 2, pair), z3.mk_int(s->c, -1, s->integer));
}

static void *literal(struct sn_smt *s, const struct sn_literal *l)
{
    switch (l->kind) {
    case SN_LESS:
        return less(s, l->a, l->b);
    case SN_NOT_LESS:
        return z3.mk_not(s->c, less(s, l->a, l->b));
    case SN_TRUE:
        return s->truth[l->a];
    default:
        return z3.mk_not(s->c, s->truth[l->a]);
    }
}

void sn_smt_clause(struct sn_smt *s, const struct sn_literal *l, uint32_t n)
{
    if (!s->c)
        return;
    void *few[16], **all = n <= 16 ? few : malloc(n * sizeof *all);
    if (!all)
        abort();
    for (uint32_t i = 0; i < n; i++)
        all[i] = literal(s, &l[i]);
    z3.solver_assert(s->c, s->solver, n == 1 ? all[0] : z3.mk_or(s->c, n, all));
    if (all != few)
        free(all);
}

static void set_limit(struct sn_smt *s, unsigned limit_ms)
{
    void *p = z3.mk_params(s->c);
    z3.params_inc_ref(s->c, p);
    z3.params_set_uint(s->c, p, z3.mk_string_symbol(s->c, "timeout"),
                       limit_ms ? limit_ms : 4294967295u);
    z3.solver_set_params(s->c, s->solver, p);
    z3.params_dec_ref(s->c, p);
}

enum sn_answer sn_smt_check(struct sn_smt *s, uint32_t assume, unsigned limit_ms)
{
    if (!s->c)
        return SN_UNKNOWN;
    if (s->model)
        z3.model_dec_ref(s->c, s->model);
    s->model = NULL;
    set_limit(s, limit_ms);
    int r = z3.solver_check_assumptions(s->c, s->solver, 1, &s->truth[assume]);
    if (r == IS_FALSE)
        return SN_NO;
    if (r == NOT_KNOWN)
        return SN_UNKNOWN;
    s->model = z3.solver_get_model(s->c, s->solver);
    z3.model_inc_ref(s->c, s->model);
    return SN_YES;
}

int64_t sn_smt_value(struct sn_smt *s, uint32_t number)
{
    void *v;
    int64_t n = 0;
    if (z3.model_eval(s->c, s->model, s->number[number], true, &v))
        z3.get_numeral_int64(s->c, v, &n);
    return n;
}

bool sn_smt_is_true(struct sn_smt *s, uint32_t truth)
{
    void *v;
    return z3.model_eval(s->c, s->model, s->truth[truth], true, &v) &&
           z3.get_bool_value(s->c, v) == IS_TRUE;
}
