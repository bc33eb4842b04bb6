/*
 * values.c: replays the trace once, variable by variable, and numbers the values.
 *
 * A number can be open: the value at the start when it is not known, or that of a write without a
 * value. The first read that finds an open number tells what it was; the number then stands for
 * that value too.
 */
#include "predict/values.h"

#include <stdlib.h>
#include <string.h>

struct number_slot {
    uint64_t value;
    uint32_t var;
    uint32_t number; /* 1 + number; 0: free */
};

struct replay {
    const struct sn_model *m;
    struct sn_values *v;
    struct number_slot *slot; /* (variable, value) -> number */
    uint32_t cap_slots;
    uint32_t *same;  /* number -> the number it turned out to be */
    uint64_t *value; /* number -> value */
    bool *open;      /* number -> its value is not known (yet) */
    uint32_t cap_numbers;
    uint32_t *now;    /* variable -> number that is in memory */
    uint32_t *writer; /* variable -> event that put it there; SN_NONE */
    bool *touched;    /* variable -> accessed before */
};

static uint32_t new_number(struct replay *r, uint64_t value, bool open)
{
    struct sn_values *v = r->v;
    if (v->nvalues == r->cap_numbers) {
        struct sn_arena *a = r->m->arena;
        uint32_t old = r->cap_numbers, want = old ? old * 2 : 256;
        r->same = sn_arena_grow(a, r->same, old * sizeof *r->same, want * sizeof *r->same);
        r->value = sn_arena_grow(a, r->value, old * sizeof *r->value, want * sizeof *r->value);
        r->open = sn_arena_grow(a, r->open, old * sizeof *r->open, want * sizeof *r->open);
        r->cap_numbers = want;
    }
    r->same[v->nvalues] = v->nvalues;
    r->value[v->nvalues] = value;
    r->open[v->nvalues] = open;
    return v->nvalues++;
}

static uint32_t find(const struct replay *r, uint32_t number)
{
    while (r->same[number] != number)
        number = r->same[number];
    return number;
}

static uint32_t number_of(struct replay *r, uint32_t var, uint64_t value)
{
    uint64_t h = (value ^ (uint64_t)var << 32 ^ var) * 0x9e3779b97f4a7c15ull;
    uint32_t i = (uint32_t)(h >> 32) & (r->cap_slots - 1);
    for (; r->slot[i].number; i = (i + 1) & (r->cap_slots - 1))
        if (r->slot[i].var == var && r->slot[i].value == value)
            return r->slot[i].number - 1;
    uint32_t number = new_number(r, value, false);
    r->slot[i] = (struct number_slot){value, var, number + 1};
    return number;
}

static void push(struct replay *r, uint32_t event, uint32_t var, uint32_t number, bool write)
{
    SN_PUSH(r->m->arena, r->v->access, r->v->n, r->v->cap,
            (struct sn_access){event, var, number, r->writer[var], write});
    r->v->var[var].n++;
}

static void write(struct replay *r, uint32_t event, uint32_t var, uint32_t number)
{
    push(r, event, var, number, true);
    r->now[var] = number;
    r->writer[var] = event;
}

static void start_with(struct replay *r, uint32_t var, uint32_t number)
{
    r->now[var] = r->v->var[var].start = number;
}

/* A read of a known value. */
static void read_value(struct replay *r, uint32_t event, uint32_t var, uint64_t value)
{
    uint32_t number = number_of(r, var, value);
    if (!r->touched[var])
        start_with(r, var, number); /* whatever was thought: this is what was there */
    uint32_t now = find(r, r->now[var]);
    if (r->open[now]) {
        r->same[now] = find(r, number);
        now = r->same[now];
    }
    if (now == find(r, number))
        push(r, event, var, number, false);
    else
        write(r, event, var, number);
}

static void touch(struct replay *r, const struct sn_touch *t, uint32_t var)
{
    const struct sn_wevent *e = &r->m->w->ev[t->event];
    const struct sn_cell *c = &r->m->cell[t->cell];
    bool known = e->has_value && e->size <= 8 && sn_trace_is_access(e->op);
    bool rmw = e->op == SN_EV_ATOMIC_RMW;
    if (t->kind & SN_TOUCH_READ) {
        if (known)
            read_value(r, t->event, var, sn_cell_value(c, e, rmw ? e->old : e->value));
        else
            push(r, t->event, var, r->now[var], false);
    }
    r->touched[var] = true;
    if (t->kind & SN_TOUCH_WRITE)
        write(r, t->event, var,
              known ? number_of(r, var, sn_cell_value(c, e, e->value)) : new_number(r, 0, true));
}

static void start(struct replay *r, const struct sn_values_plan *plan)
{
    for (uint32_t var = 0; var < plan->nvars; var++) {
        const struct sn_cell *c = &r->m->cell[plan->cell[var]];
        uint64_t value;
        bool known = !(plan->later && plan->later[var]) &&
                     sn_window_start_value(r->m->w, c->addr, c->size, &value);
        start_with(r, var, known ? number_of(r, var, value) : new_number(r, 0, true));
        r->writer[var] = SN_NONE;
    }
}

static void prepare(struct replay *r, const struct sn_values_plan *plan)
{
    struct sn_arena *a = r->m->arena;
    r->cap_slots = 256;
    while (r->cap_slots < 4 * (r->m->ntouches + plan->nvars))
        r->cap_slots *= 2;
    r->slot = SN_NEW(a, struct number_slot, r->cap_slots);
    r->now = SN_NEW(a, uint32_t, plan->nvars);
    r->writer = SN_NEW(a, uint32_t, plan->nvars);
    r->touched = SN_NEW(a, bool, plan->nvars);
    r->v->var = SN_NEW(a, struct sn_var, plan->nvars);
    r->v->nvars = plan->nvars;
    r->v->of = SN_NEW(a, uint32_t, r->m->n + 1);
}

static void index_by_var(struct replay *r)
{
    struct sn_values *v = r->v;
    uint32_t at = 0;
    v->by_var = SN_NEW(r->m->arena, uint32_t, v->n);
    for (uint32_t i = 0; i < v->nvars; i++) {
        v->var[i].first = at;
        at += v->var[i].n;
        v->var[i].n = 0;
        v->var[i].start = find(r, v->var[i].start);
    }
    for (uint32_t i = 0; i < v->n; i++) {
        struct sn_var *var = &v->var[v->access[i].var];
        v->access[i].value = find(r, v->access[i].value);
        v->by_var[var->first + var->n++] = i;
    }
}

struct by_thread {
    const struct sn_model *m;
    const struct sn_values *v;
};

static int compare_writes(const void *a, const void *b, void *arg)
{
    const struct by_thread *k = arg;
    uint32_t x = k->v->access[*(const uint32_t *)a].event;
    uint32_t y = k->v->access[*(const uint32_t *)b].event;
    uint32_t t = sn_thread_of(k->m, x), u = sn_thread_of(k->m, y);
    if (t != u)
        return t < u ? -1 : 1;
    if (x != y)
        return x < y ? -1 : 1;
    return *(const uint32_t *)a < *(const uint32_t *)b ? -1 : 1;
}

/* Writes by value, or by variable; each list by thread. */
static uint32_t *index_writes(struct replay *r, uint32_t groups, bool by_value, uint32_t **first)
{
    struct sn_values *v = r->v;
    struct by_thread k = {r->m, v};
    uint32_t *at = SN_NEW(r->m->arena, uint32_t, groups + 2);
    uint32_t *list = SN_NEW(r->m->arena, uint32_t, v->n);
    for (uint32_t i = 0; i < v->n; i++)
        if (v->access[i].write)
            at[(by_value ? v->access[i].value : v->access[i].var) + 2]++;
    for (uint32_t i = 2; i < groups + 2; i++)
        at[i] += at[i - 1];
    for (uint32_t i = 0; i < v->n; i++)
        if (v->access[i].write)
            list[at[(by_value ? v->access[i].value : v->access[i].var) + 1]++] = i;
    for (uint32_t i = 0; i < groups; i++)
        if (at[i + 1] - at[i] > 1)
            qsort_r(list + at[i], at[i + 1] - at[i], sizeof *list, compare_writes, &k);
    *first = at;
    return list;
}

uint32_t sn_writes_from(const struct sn_model *m, const struct sn_values *v, const uint32_t *list,
                        uint32_t low, uint32_t high, uint32_t t, uint32_t pos)
{
    while (low < high) {
        uint32_t mid = low + (high - low) / 2, e = v->access[list[mid]].event;
        uint32_t u = sn_thread_of(m, e);
        if (u < t || (u == t && m->pos[e] < pos))
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

void sn_values_build(const struct sn_model *m, const struct sn_values_plan *plan,
                     struct sn_values *v)
{
    struct replay r = {.m = m, .v = v};
    uint32_t look = 0;
    memset(v, 0, sizeof *v);
    prepare(&r, plan);
    start(&r, plan);
    for (uint32_t e = 0; e < m->n; e++) {
        v->of[e] = v->n;
        for (; look < plan->nlooks && plan->look[look].event == e; look++)
            push(&r, e, plan->look[look].var, r.now[plan->look[look].var], false);
        for (uint32_t t = m->touch_of[e]; t < m->touch_of[e + 1]; t++)
            if (plan->var[t] != SN_NONE)
                touch(&r, &m->touch[t], plan->var[t]);
    }
    v->of[m->n] = v->n;
    index_by_var(&r);
    v->writes = index_writes(&r, v->nvalues, true, &v->write_first);
    v->var_writes = index_writes(&r, v->nvars, false, &v->var_write_first);
}

void sn_values_of_cells(const struct sn_model *m, struct sn_values *v)
{
    uint32_t *var = SN_NEW(m->arena, uint32_t, m->ntouches);
    uint32_t *cell = SN_NEW(m->arena, uint32_t, m->ncells);
    for (uint32_t i = 0; i < m->ntouches; i++)
        var[i] = m->touch[i].cell;
    for (uint32_t i = 0; i < m->ncells; i++)
        cell[i] = i;
    struct sn_values_plan plan = {.nvars = m->ncells, .var = var, .cell = cell};
    sn_values_build(m, &plan, v);
}
