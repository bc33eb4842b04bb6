/*
 * behind_test.c: what behind.c takes out makes no difference: random programs of some threads and
 * one variable are trained in random interleavings, then run in others, by Algorithm 1 with all
 * places and with those that are left. The first access that is refused must be the same one.
 *
 * Threads run sections, rows of places, which training does not take apart most of the time: that
 * is what a lock does. Sets are what training has shown, changed at random here and there. A thread
 * does the same in training and later; what it meets is another matter.
 */
#include "guard/invariants.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/guard/word.h"

enum { PLACES = 8, THREADS = 3, SECTIONS = 4, LENGTH = 5, STEPS = 24, TRAININGS = 6, RUNS = 40 };

struct program {
    uint32_t step[THREADS][STEPS];
    bool begins[THREADS][STEPS]; /* a section begins here */
    unsigned n[THREADS];
};

static uint64_t seed;

static uint32_t dice(uint32_t sides)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(seed >> 33) % sides;
}

static struct program make_program(void)
{
    struct program p = {0};
    uint32_t section[SECTIONS][LENGTH], length[SECTIONS];
    for (int i = 0; i < SECTIONS; i++) {
        length[i] = 1 + dice(LENGTH);
        for (int k = 0; k < LENGTH; k++)
            section[i][k] = 1 + dice(PLACES);
    }
    for (int t = 0; t < THREADS; t++)
        for (uint32_t s = dice(SECTIONS); p.n[t] + length[s] <= STEPS; s = dice(SECTIONS)) {
            p.begins[t][p.n[t]] = true;
            for (uint32_t k = 0; k < length[s]; k++)
                p.step[t][p.n[t]++] = section[s][k];
            if (dice(6) == 0)
                break;
        }
    return p;
}

/* Whose turn it is: somebody's who has something left; `whole`: sections are not taken apart. */
static int next_thread(const struct program *p, const unsigned *at, int last, bool whole)
{
    int left = 0, t;
    for (t = 0; t < THREADS; t++)
        left += at[t] < p->n[t];
    if (!left)
        return -1;
    if (whole && last >= 0 && at[last] < p->n[last] && !p->begins[last][at[last]])
        return last;
    do
        t = (int)dice(THREADS);
    while (at[t] == p->n[t]);
    return t;
}

/* As engine/guard/learn.c does. */
static void train(struct sn_inv *v, const struct program *p, bool whole)
{
    unsigned at[THREADS] = {0};
    sn_rec_word word = 0;
    for (int t = -1; (t = next_thread(p, at, t, whole)) >= 0;) {
        uint32_t s = p->step[t][at[t]++], me = (uint32_t)t + 1, last = sn_rec_last(word);
        bool enters = word && sn_rec_thread(word) != me;
        sn_inv_add(v, s, sn_rec_rpre(word, me), SN_GUARD_REMOTE);
        if (enters)
            sn_inv_add(v, s, 0, SN_GUARD_ENTER);
        else if (last != s)
            sn_inv_add(v, s, last, SN_GUARD_LOCAL);
        word = sn_rec_next(word, s, me);
    }
}

/* A read begins a write when its thread may write next, after reads at most (light.c). */
static void find_plain(struct sn_inv *v)
{
    bool begins[PLACES + 1] = {0};
    for (int round = 0; round < PLACES; round++)
        for (size_t i = 0; i < v->npairs; i++) {
            const struct sn_inv_pair *p = &v->pair[i];
            if (p->what == SN_GUARD_LOCAL && (!v->place[p->site].reads || begins[p->site]))
                begins[p->pred] = true;
        }
    for (uint32_t i = 1; i <= PLACES; i++)
        v->place[i].plain = v->place[i].reads && !begins[i];
}

static void make_sets(struct sn_inv *v)
{
    for (uint32_t i = 1; i <= PLACES; i++) {
        struct sn_inv_place *p = &v->place[i];
        p->set = calloc(PLACES + 1, sizeof *p->set);
        for (uint32_t k = 0; k <= PLACES; k++) {
            bool in = sn_inv_has(v, i, k, SN_GUARD_REMOTE) != (dice(40) == 0);
            if (in && (!k || sn_inv_is_recorded(&v->place[k])))
                p->set[p->nset++] = k;
        }
    }
}

static void learn(struct sn_inv *v, const struct program *p)
{
    char key[] = "p!f@a.c+1:1/write4#0";
    sn_inv_init(v, "p");
    uint32_t mix = dice(3); /* writes only, both, some reads */
    for (uint32_t i = 1; i <= PLACES; i++) {
        key[sizeof key - 2] = (char)('0' + i);
        sn_inv_place(v, key);
        struct sn_inv_place *q = &v->place[i];
        q->group = 1;
        q->count = dice(1000);
        q->reads = mix && dice(mix + 1) == 0;
        q->kept = q->needed = dice(8) != 0;
        q->light = q->kept && q->reads && dice(4) == 0;
    }
    for (int i = 0; i < TRAININGS; i++)
        train(v, p, i || dice(2));
    find_plain(v);
    make_sets(v);
}

/* ---- Algorithm 1, with what is said about plain reads ---- */

static bool is_in_set(const struct sn_inv_place *p, uint32_t pred)
{
    for (size_t i = 0; i < p->nset; i++)
        if (p->set[i] == pred)
            return true;
    return false;
}

static bool passes(const struct sn_inv *v, const struct sn_inv_place *p, sn_rec_word word,
                   uint32_t me)
{
    uint32_t pred = sn_rec_rpre(word, me), before = sn_rec_before(word);
    if (is_in_set(p, pred))
        return true;
    if (!p->reads || !word || !pred || !v->place[pred].plain)
        return false;
    return sn_rec_thread(word) == me || (before && v->place[before].plain) || is_in_set(p, before);
}

/* The number of the first step that is refused; -1: none. */
static int run(const struct sn_inv *v, const struct program *p, uint64_t from)
{
    unsigned at[THREADS] = {0};
    sn_rec_word word = 0;
    int t = -1;
    seed = from;
    bool whole = dice(4) == 0;
    for (int n = 0; (t = next_thread(p, at, t, whole)) >= 0; n++) {
        uint32_t s = p->step[t][at[t]++], me = (uint32_t)t + 1;
        if (!v->place[s].kept)
            continue;
        if (!passes(v, &v->place[s], word, me))
            return n;
        if (!v->place[s].light)
            word = sn_rec_next(word, s, me);
    }
    return -1;
}

/* Runs that end otherwise than they did. */
static int count_changed(const struct sn_inv *v, const struct program *p, const int *usual)
{
    int changed = 0;
    for (int i = 0; i < RUNS; i++)
        changed += run(v, p, (uint64_t)i * 7919 + 1) != usual[i];
    return changed;
}

/* Without a place that behind.c has left. */
static int without_any(struct sn_inv *v, const struct program *p, const int *usual)
{
    int changed = 0;
    for (uint32_t i = 1; i <= PLACES; i++) {
        if (!sn_inv_is_recorded(&v->place[i]))
            continue;
        v->place[i].kept = false;
        changed += count_changed(v, p, usual) != 0;
        v->place[i].kept = true;
    }
    return changed;
}

static void test_no_verdict_changes(void **state)
{
    int gone = 0, passed = 0, refused = 0, others = 0;
    (void)state;
    for (uint64_t i = 0; i < 30000; i++) {
        struct sn_inv v;
        int usual[RUNS];
        seed = i * 2654435761u + 12345;
        struct program p = make_program();
        learn(&v, &p);
        for (int k = 0; k < RUNS; k++) {
            usual[k] = run(&v, &p, (uint64_t)k * 7919 + 1);
            *(usual[k] < 0 ? &passed : &refused) += 1;
        }
        sn_inv_behind(&v);
        for (uint32_t k = 1; k <= PLACES; k++)
            gone += v.place[k].behind;
        assert_int_equal(count_changed(&v, &p, usual), 0);
        others += without_any(&v, &p, usual);
        sn_inv_clear(&v);
    }
    print_message("%d places are gone; %d runs had no violation, %d had; %d others are needed\n",
                  gone, passed, refused, others);
    assert_true(gone > 1000 && passed > 1000 && refused > 1000 && others > 1000);
}

/* lock, read, write, read, unlock: only the first and the last are seen by others. */
static void test_middle_of_a_section(void **state)
{
    (void)state;
    struct sn_inv v;
    struct program p = {0};
    for (int t = 0; t < 2; t++) {
        for (uint32_t i = 1; i <= 4; i++)
            p.step[t][p.n[t]++] = i;
        p.begins[t][0] = true;
    }
    sn_inv_init(&v, "p");
    for (uint32_t i = 1; i <= 4; i++) {
        char key[] = "p!f@a.c+1:1/write4#0";
        key[sizeof key - 2] = (char)('0' + i);
        sn_inv_place(&v, key);
        v.place[i].kept = v.place[i].needed = true;
    }
    for (int i = 0; i < 8; i++)
        train(&v, &p, true);
    for (uint32_t i = 1; i <= 4; i++) {
        struct sn_inv_place *q = &v.place[i];
        q->group = 1;
        q->set = calloc(PLACES + 1, sizeof *q->set);
        for (uint32_t k = 0; k <= 4; k++)
            if (sn_inv_has(&v, i, k, SN_GUARD_REMOTE))
                q->set[q->nset++] = k;
    }
    sn_inv_behind(&v);
    assert_true(v.place[1].kept && v.place[4].kept);
    assert_true(v.place[2].behind && v.place[3].behind && !v.place[2].kept && !v.place[3].kept);
    assert_true(sn_inv_has(&v, 4, 1, SN_GUARD_LOCAL));
    sn_inv_clear(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_verdict_changes),
        cmocka_unit_test(test_middle_of_a_section),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
