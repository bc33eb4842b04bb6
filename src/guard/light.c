/*
 * light.c: what need not be recorded, or not even checked, because no verdict depends on it.
 *
 * Reading alone breaks nothing, so a read is recorded for the sake of the writes that may come
 * after it: a write that must not come between two reads, or that must wait for a read (freeing),
 * or that its own thread does next, so that others must not read in between (R-W, R-R-W). Memory
 * that nobody writes is left alone. A read that begins no such region is light, checked but not
 * recorded,
 *
 * - when the memory is settled: no write of the group ever came after another thread, so none of
 *   them has anything to wait for; configuration that is read by everyone is like that;
 * - when every write may come after the read, and after everything that the read came after.
 *
 * A light read leaves the recorder's words alone: they stay in the caches of all processors. What
 * the sets are without it is worked out as for every place that is not recorded (select.c).
 *
 * A read that begins no write is plain. Other reads may come after it whether training saw that or
 * not, when they could have come before it: two reads change places and nobody sees a difference.
 */
#include <stdlib.h>
#include <string.h>

#include "guard/invariants.h"
#include "store/xalloc.h"

struct facts {
    struct sn_inv *v;
    bool *reads;      /* by place: it does not write */
    bool *waits;      /* by place: it has come after another thread */
    bool *begins;     /* by place: its thread may write there next, after reads at most */
    bool *written;    /* by group */
    bool *unsettled;  /* by group */
    uint32_t *writes; /* those that wait, by group in a row */
    size_t *first;    /* of group i: writes[first[i] … first[i + 1]) */
};

static bool starts(const char *s, const char *with)
{
    return strncmp(s, with, strlen(with)) == 0;
}

/* "read4", "unaligned_read8", "atomic32_load"; whatever else is called may write. */
static bool is_reading(const char *what)
{
    static const char *const calls[] = {"memcmp", "strlen", "strcmp", "strncmp", "memchr",
                                        "strchr", "send",   "sendto", "sendmsg", "write"};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (strcmp(what, calls[i]) == 0)
            return true;
    if (starts(what, "unaligned_"))
        what += 10;
    if (starts(what, "volatile_"))
        what += 9;
    return (starts(what, "read") && (!what[4] || strchr("0123456789_", what[4]))) ||
           (starts(what, "atomic") && strstr(what, "_load")) || strcmp(what, "vptr_read") == 0;
}

static const struct sn_call_site *call_of(const struct sn_inv *v, const struct sn_inv_place *p)
{
    return p->module < 0 ? NULL : sn_calls_by_return(sn_keys_calls(v->keys, p->module), p->returns);
}

/* By the call when the place is there, else by its key; "read" alone is the system call. */
static bool only_reads(const struct sn_inv *v, const struct sn_inv_place *p)
{
    char what[64];
    const struct sn_call_site *c = call_of(v, p);
    const char *slash = strrchr(p->key, '/');
    if (!c && !slash)
        return false;
    const char *name = c ? c->name : slash + 1;
    size_t n = c ? strlen(name) : strcspn(name, "#");
    if (c && starts(name, "__tsan_")) {
        name += 7;
        n -= 7;
    }
    if (n >= sizeof what)
        return false;
    memcpy(what, name, n);
    what[n] = '\0';
    return strcmp(what, "read") != 0 && is_reading(what);
}

/* Backwards along "came right before, by the same thread", from writes through reads. */
static void find_begins(struct facts *f)
{
    const struct sn_inv *v = f->v;
    bool more = true;
    while (more) {
        more = false;
        for (size_t i = 0; i < v->npairs; i++) {
            const struct sn_inv_pair *p = &v->pair[i];
            if (p->what != SN_GUARD_LOCAL || !p->pred || f->begins[p->pred] ||
                (f->reads[p->site] && !f->begins[p->site]))
                continue;
            f->begins[p->pred] = more = true;
        }
    }
}

static void find_writes(struct facts *f)
{
    const struct sn_inv *v = f->v;
    size_t *count = f->first = sn_xcalloc(v->n + 2, sizeof *f->first);
    f->writes = sn_xcalloc(v->n, sizeof *f->writes);
    for (size_t i = 1; i < v->n; i++)
        if (!f->reads[i] && f->waits[i]) {
            f->unsettled[v->place[i].group] = true;
            count[v->place[i].group + 2]++;
        }
    for (size_t i = 2; i < v->n + 2; i++)
        count[i] += count[i - 1];
    for (uint32_t i = 1; i < v->n; i++)
        if (!f->reads[i] && f->waits[i])
            f->writes[count[v->place[i].group + 1]++] = i;
}

static void find_facts(struct facts *f, struct sn_inv *v)
{
    *f = (struct facts){v,
                        sn_xcalloc(v->n, sizeof *f->reads),
                        sn_xcalloc(v->n, sizeof *f->waits),
                        sn_xcalloc(v->n, sizeof *f->begins),
                        sn_xcalloc(v->n, sizeof *f->written),
                        sn_xcalloc(v->n, sizeof *f->unsettled),
                        NULL,
                        NULL};
    for (size_t i = 1; i < v->n; i++) {
        f->reads[i] = only_reads(v, &v->place[i]);
        f->written[v->place[i].group] |= !f->reads[i];
    }
    for (size_t i = 0; i < v->npairs; i++)
        if (v->pair[i].what == SN_GUARD_REMOTE && v->pair[i].pred)
            f->waits[v->pair[i].site] = true;
    find_begins(f);
    find_writes(f);
}

static bool may_follow(const struct sn_inv *v, uint32_t write, uint32_t place)
{
    return write == place || sn_inv_has(v, write, place, SN_GUARD_REMOTE);
}

/* Every write of the group may come after `read`. */
static bool all_may_follow(const struct facts *f, uint32_t read)
{
    uint32_t group = f->v->place[read].group;
    for (size_t i = f->first[group]; i < f->first[group + 1]; i++)
        if (!may_follow(f->v, f->writes[i], read))
            return false;
    return true;
}

static bool is_candidate(const struct facts *f, uint32_t i)
{
    const struct sn_inv_place *p = &f->v->place[i];
    const struct sn_call_site *c = call_of(f->v, p);
    if (!p->kept || !f->reads[i] || !f->waits[i] || !c || strstr(c->name, "_range"))
        return false;
    return !f->begins[i] && (!f->unsettled[p->group] || all_may_follow(f, i));
}

/* What a read came after is seen in its place: the writes must be free to come after that, too. */
static void keep_heavy(const struct facts *f)
{
    const struct sn_inv *v = f->v;
    for (size_t i = 0; i < v->npairs; i++) {
        const struct sn_inv_pair *p = &v->pair[i];
        struct sn_inv_place *s = &v->place[p->site];
        if (!s->light || !f->unsettled[s->group] || p->what > SN_GUARD_LOCAL)
            continue;
        for (size_t k = f->first[s->group]; k < f->first[s->group + 1] && s->light; k++)
            if (!may_follow(v, f->writes[k], p->pred))
                s->light = false;
    }
}

void sn_inv_light(struct sn_inv *v)
{
    struct facts f;
    find_facts(&f, v);
    for (uint32_t i = 1; i < v->n; i++) {
        struct sn_inv_place *p = &v->place[i];
        p->kept &= f.written[p->group];
        p->light = is_candidate(&f, i);
        p->reads = f.reads[i];
        p->plain = f.reads[i] && !f.begins[i];
    }
    keep_heavy(&f);
    free(f.reads);
    free(f.waits);
    free(f.begins);
    free(f.written);
    free(f.unsettled);
    free(f.writes);
    free(f.first);
}

/* Nobody who is recorded in its group could violate it, nor could it come too early. */
static bool is_idle(const struct sn_inv *v, const struct sn_inv_place *p, const size_t recorded[2])
{
    size_t after[2] = {0, 0};
    if (!p->kept || !p->nset || p->set[0])
        return false;
    for (size_t i = 1; i < p->nset; i++)
        after[v->place[p->set[i]].plain]++;
    return after[0] >= recorded[0] && (p->reads || after[1] >= recorded[1]);
}

void sn_inv_drop_idle(struct sn_inv *v)
{
    size_t(*recorded)[2] = sn_xcalloc(v->n, sizeof *recorded); /* by group; others and plain */
    bool *busy = sn_xcalloc(v->n, sizeof *busy);
    for (size_t i = 1; i < v->n; i++)
        recorded[v->place[i].group][v->place[i].plain] += sn_inv_is_recorded(&v->place[i]);
    for (size_t i = 1; i < v->n; i++) {
        struct sn_inv_place *p = &v->place[i];
        bool idle = is_idle(v, p, recorded[p->group]);
        busy[p->group] |= p->kept && !idle;
        if (p->light && idle)
            p->kept = p->light = false;
    }
    for (size_t i = 1; i < v->n; i++)
        if (!busy[v->place[i].group])
            v->place[i].kept = v->place[i].light = false;
    free(recorded);
    free(busy);
}
