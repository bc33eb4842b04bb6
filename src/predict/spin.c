/*
 * spin.c: locks that a program builds itself from one atomic word: taken by a read-modify-write
 * from 0 to something else, given back by the same thread with 0, and never written otherwise. In
 * every reordering in which reads keep their values such a word keeps its sections apart, as a lock
 * does; so saying it changes no answer. But it makes answers cheap: lock sets, sections and the
 * closure see it at once, where the solver would have to unroll the values of every round.
 */
#include "predict/model.h"

#include <string.h>

struct word {
    uint64_t addr, size;
    uint32_t holder;   /* thread; SN_NONE */
    uint32_t at_start; /* thread that held it before the window; SN_NONE */
    uint32_t taker;    /* some thread that took it; SN_NONE */
    bool touched, shared, bad;
};

struct finder {
    struct sn_model *m;
    struct word *word;
    uint32_t n, cap;
    uint32_t *slot; /* hash of address / 8 -> 1 + word */
    uint32_t cap_slots;
};

static struct word *word_of(struct finder *f, uint64_t addr)
{
    uint32_t i = (uint32_t)(addr / 8 * 0x9e3779b97f4a7c15ull >> 32) & (f->cap_slots - 1);
    while (f->slot[i] && f->word[f->slot[i] - 1].addr / 8 != addr / 8)
        i = (i + 1) & (f->cap_slots - 1);
    return f->slot[i] ? &f->word[f->slot[i] - 1] : NULL;
}

static void add_word(struct finder *f, const struct sn_wevent *e)
{
    uint32_t i = (uint32_t)(e->addr / 8 * 0x9e3779b97f4a7c15ull >> 32) & (f->cap_slots - 1);
    if (word_of(f, e->addr))
        return;
    while (f->slot[i])
        i = (i + 1) & (f->cap_slots - 1);
    SN_PUSH(f->m->arena, f->word, f->n, f->cap,
            (struct word){.addr = e->addr,
                          .size = e->size,
                          .holder = SN_NONE,
                          .at_start = SN_NONE,
                          .taker = SN_NONE});
    f->slot[i] = f->n;
}

static bool takes(const struct sn_wevent *e)
{
    return e->op == SN_EV_ATOMIC_RMW && e->old == 0 && e->value != 0;
}

static bool gives(const struct sn_wevent *e)
{
    return (e->op == SN_EV_ATOMIC_STORE || (e->op == SN_EV_ATOMIC_RMW && e->old != 0)) &&
           e->value == 0;
}

/* A try that failed leaves the word as it is. */
static bool leaves(const struct sn_wevent *e)
{
    return e->op == SN_EV_READ || e->op == SN_EV_ATOMIC_LOAD ||
           (e->op == SN_EV_ATOMIC_RMW && e->old == e->value && e->old != 0);
}

static void follow(struct word *w, const struct sn_wevent *e)
{
    w->bad |= e->addr != w->addr || e->size != w->size || !e->has_value;
    if (leaves(e))
        return;
    if (takes(e) && w->holder == SN_NONE) {
        w->shared |= w->taker != SN_NONE && w->taker != e->thread;
        w->taker = w->holder = e->thread;
    } else if (gives(e) && (w->holder == e->thread || !w->touched)) {
        w->at_start = w->touched ? w->at_start : e->thread;
        w->holder = SN_NONE;
    } else {
        w->bad = true;
    }
    w->touched = true;
}

static bool in_range(const struct word *w, uint64_t addr, uint64_t size)
{
    return w->addr < addr + size && addr < w->addr + w->size;
}

/* Memory that comes and goes, and what unseen code can reach, is left alone. */
static void rule_out(struct finder *f)
{
    const struct sn_window *w = f->m->w;
    for (uint32_t i = 0; i < f->n; i++) {
        struct word *x = &f->word[i];
        for (uint32_t e = 0; e < w->n && !x->bad; e++)
            x->bad = (w->ev[e].op == SN_EV_ALLOC || w->ev[e].op == SN_EV_FREE ||
                      w->ev[e].op == SN_EV_MAP || w->ev[e].op == SN_EV_UNMAP) &&
                     in_range(x, w->ev[e].addr, w->ev[e].size);
        for (uint32_t r = 0; f->m->use_pairs && r < w->nranges && !x->bad; r++)
            x->bad = in_range(x, w->range[r].addr, w->range[r].size);
    }
}

static void find_words(struct finder *f)
{
    const struct sn_window *w = f->m->w;
    uint32_t takers = 0;
    for (uint32_t i = 0; i < w->n; i++)
        takers += takes(&w->ev[i]);
    f->cap_slots = 64;
    while (f->cap_slots < 2 * takers)
        f->cap_slots *= 2;
    f->slot = SN_NEW(f->m->arena, uint32_t, f->cap_slots);
    for (uint32_t i = 0; i < w->n; i++)
        if (takes(&w->ev[i]))
            add_word(f, &w->ev[i]);
    for (uint32_t i = 0; i < w->n; i++) {
        struct word *x = sn_trace_is_access(w->ev[i].op) ? word_of(f, w->ev[i].addr) : NULL;
        if (x)
            follow(x, &w->ev[i]);
    }
    rule_out(f);
}

void sn_model_spin(struct sn_model *m)
{
    struct finder f = {.m = m};
    find_words(&f);
    m->spin = SN_NEW(m->arena, uint8_t, m->n);
    for (uint32_t i = 0; i < f.n; i++)
        if (!f.word[i].bad && f.word[i].shared && f.word[i].at_start != SN_NONE)
            SN_PUSH(m->arena, m->spin_held, m->nspin_held, m->cap_spin_held,
                    (struct sn_wheld){f.word[i].at_start, 0, f.word[i].addr, false, false});
    for (uint32_t i = 0; i < m->n && f.n; i++) {
        const struct sn_wevent *e = &m->w->ev[i];
        const struct word *x = sn_trace_is_access(e->op) ? word_of(&f, e->addr) : NULL;
        if (!x || x->bad || !x->shared || leaves(e))
            continue;
        m->spin[i] = takes(e) ? SN_SPIN_TAKES : SN_SPIN_GIVES;
    }
}
