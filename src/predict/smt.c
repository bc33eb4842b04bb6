/*
 * smt.c: difference logic by Z3's C API. The only file that includes z3.h; without Z3 it says so
 * and knows no answer.
 */
#include "predict/smt.h"

#ifdef SNAG_HAVE_Z3

#include <stdio.h>
#include <stdlib.h>
#include <z3.h>

struct sn_smt {
    Z3_context c;
    Z3_solver solver;
    Z3_model model;
    Z3_sort integer, boolean;
    Z3_ast *number, *truth;
    uint32_t nnumbers, cap_numbers, ntruths, cap_truths;
};

bool sn_smt_available(void)
{
    return true;
}

/* Z3 is used as documented: an error here is a mistake in snag. */
static void on_error(Z3_context c, Z3_error_code e)
{
    fprintf(stderr, "snag: Z3: %s\n", Z3_get_error_msg(c, e));
    abort();
}

static void open_context(struct sn_smt *s)
{
    Z3_config config = Z3_mk_config();
    s->c = Z3_mk_context(config);
    Z3_del_config(config);
    Z3_set_error_handler(s->c, on_error);
    s->solver = Z3_mk_solver_for_logic(s->c, Z3_mk_string_symbol(s->c, "QF_IDL"));
    Z3_solver_inc_ref(s->c, s->solver);
    s->integer = Z3_mk_int_sort(s->c);
    s->boolean = Z3_mk_bool_sort(s->c);
}

static void close_context(struct sn_smt *s)
{
    if (s->model)
        Z3_model_dec_ref(s->c, s->model);
    s->model = NULL;
    Z3_solver_dec_ref(s->c, s->solver);
    Z3_del_context(s->c);
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

static uint32_t keep(Z3_ast **list, uint32_t *n, uint32_t *cap, Z3_ast a)
{
    if (*n == *cap) {
        *cap = *cap ? *cap * 2 : 256;
        *list = realloc(*list, *cap * sizeof **list);
        if (!*list)
            abort();
    }
    (*list)[*n] = a;
    return (*n)++;
}

uint32_t sn_smt_number(struct sn_smt *s)
{
    Z3_symbol name = Z3_mk_int_symbol(s->c, (int)(2 * s->nnumbers));
    return keep(&s->number, &s->nnumbers, &s->cap_numbers, Z3_mk_const(s->c, name, s->integer));
}

uint32_t sn_smt_numbers(const struct sn_smt *s)
{
    return s->nnumbers;
}

uint32_t sn_smt_truth(struct sn_smt *s)
{
    Z3_symbol name = Z3_mk_int_symbol(s->c, (int)(2 * s->ntruths + 1));
    return keep(&s->truth, &s->ntruths, &s->cap_truths, Z3_mk_const(s->c, name, s->boolean));
}

/* a < b as a - b <= -1, the form of difference logic. */
static Z3_ast less(struct sn_smt *s, uint32_t a, uint32_t b)
{
    Z3_ast pair[2] = {s->number[a], s->number[b]};
    return Z3_mk_le(s->c, Z3_mk_sub(s->c, 2, pair), Z3_mk_int(s->c, -1, s->integer));
}

static Z3_ast literal(struct sn_smt *s, const struct sn_literal *l)
{
    switch (l->kind) {
    case SN_LESS:
        return less(s, l->a, l->b);
    case SN_NOT_LESS:
        return Z3_mk_not(s->c, less(s, l->a, l->b));
    case SN_TRUE:
        return s->truth[l->a];
    default:
        return Z3_mk_not(s->c, s->truth[l->a]);
    }
}

void sn_smt_clause(struct sn_smt *s, const struct sn_literal *l, uint32_t n)
{
    Z3_ast few[16], *all = n <= 16 ? few : malloc(n * sizeof *all);
    if (!all)
        abort();
    for (uint32_t i = 0; i < n; i++)
        all[i] = literal(s, &l[i]);
    Z3_solver_assert(s->c, s->solver, n == 1 ? all[0] : Z3_mk_or(s->c, n, all));
    if (all != few)
        free(all);
}

static void set_limit(struct sn_smt *s, unsigned limit_ms)
{
    Z3_params p = Z3_mk_params(s->c);
    Z3_params_inc_ref(s->c, p);
    Z3_params_set_uint(s->c, p, Z3_mk_string_symbol(s->c, "timeout"),
                       limit_ms ? limit_ms : 4294967295u);
    Z3_solver_set_params(s->c, s->solver, p);
    Z3_params_dec_ref(s->c, p);
}

enum sn_answer sn_smt_check(struct sn_smt *s, uint32_t assume, unsigned limit_ms)
{
    if (s->model)
        Z3_model_dec_ref(s->c, s->model);
    s->model = NULL;
    set_limit(s, limit_ms);
    Z3_lbool r = Z3_solver_check_assumptions(s->c, s->solver, 1, &s->truth[assume]);
    if (r == Z3_L_FALSE)
        return SN_NO;
    if (r == Z3_L_UNDEF)
        return SN_UNKNOWN;
    s->model = Z3_solver_get_model(s->c, s->solver);
    Z3_model_inc_ref(s->c, s->model);
    return SN_YES;
}

int64_t sn_smt_value(struct sn_smt *s, uint32_t number)
{
    Z3_ast v;
    int64_t n = 0;
    if (Z3_model_eval(s->c, s->model, s->number[number], true, &v))
        Z3_get_numeral_int64(s->c, v, &n);
    return n;
}

bool sn_smt_is_true(struct sn_smt *s, uint32_t truth)
{
    Z3_ast v;
    return Z3_model_eval(s->c, s->model, s->truth[truth], true, &v) &&
           Z3_get_bool_value(s->c, v) == Z3_L_TRUE;
}

#else

bool sn_smt_available(void)
{
    return false;
}

struct sn_smt *sn_smt_new(void)
{
    return 0;
}

void sn_smt_free(struct sn_smt *s)
{
    (void)s;
}

void sn_smt_reset(struct sn_smt *s)
{
    (void)s;
}

uint32_t sn_smt_number(struct sn_smt *s)
{
    (void)s;
    return 0;
}

uint32_t sn_smt_numbers(const struct sn_smt *s)
{
    (void)s;
    return 0;
}

uint32_t sn_smt_truth(struct sn_smt *s)
{
    (void)s;
    return 0;
}

void sn_smt_clause(struct sn_smt *s, const struct sn_literal *l, uint32_t n)
{
    (void)s;
    (void)l;
    (void)n;
}

enum sn_answer sn_smt_check(struct sn_smt *s, uint32_t assume, unsigned limit_ms)
{
    (void)s;
    (void)assume;
    (void)limit_ms;
    return SN_UNKNOWN;
}

int64_t sn_smt_value(struct sn_smt *s, uint32_t number)
{
    (void)s;
    (void)number;
    return 0;
}

bool sn_smt_is_true(struct sn_smt *s, uint32_t truth)
{
    (void)s;
    (void)truth;
    return false;
}

#endif
