/*
 * turns.c: from runs of events to turns. Of a thread's events only some are places where the
 * scheduler can hold it: accesses, and synchronisation that it stops before. A run ends before the
 * thread's next such event; how often the thread comes to that statement on the way is counted.
 */
#include "predict/turns.h"

#include <stdlib.h>
#include <string.h>

#include "store/xalloc.h"

enum { MAX_EVENTS = 4 << 20, MAX_TURNS = 20000 };

struct place {
    uint32_t thread, site;
    bool stop; /* the scheduler can hold the thread before it */
    bool end;  /* of the thread */
};

struct sn_turns {
    struct sn_trace *trace; /* read as far as needed: its tables */
    struct place *event;
    size_t n;
};

static bool can_stop(const struct sn_trace_event *ev)
{
    if (ev->ev.flags & (SN_EF_PART | SN_EF_COND))
        return false;
    switch (ev->ev.op) {
    case SN_EV_LOCK:
    case SN_EV_RDLOCK:
    case SN_EV_JOIN:
    case SN_EV_SEM_WAIT:
    case SN_EV_SEM_POST:
    case SN_EV_COND_SIGNAL:
    case SN_EV_COND_BROADCAST:
    case SN_EV_BARRIER_ENTER:
        return true;
    default:
        return sn_trace_is_access(ev->ev.op);
    }
}

struct sn_turns *sn_turns_new(const char *path, uint64_t events)
{
    struct sn_turns *h = sn_xcalloc(1, sizeof *h);
    struct sn_trace_event ev;
    char *why = NULL;
    if (events > MAX_EVENTS)
        events = MAX_EVENTS;
    if (sn_trace_open(path, &h->trace, &why) < 0) {
        free(why);
        free(h);
        return NULL;
    }
    h->event = sn_xcalloc(events ? events : 1, sizeof *h->event);
    while (h->n < events && sn_trace_next(h->trace, &ev) > 0) {
        if (ev.ev.op == SN_EV_NONE)
            continue;
        h->event[h->n++] =
            (struct place){ev.thread, ev.site, can_stop(&ev), ev.ev.op == SN_EV_END};
    }
    return h;
}

void sn_turns_free(struct sn_turns *h)
{
    if (!h)
        return;
    sn_trace_close(h->trace);
    free(h->event);
    free(h);
}

/* Where a thread is: the events of its own that the witness has taken, and where it stands. */
struct walker {
    uint32_t thread;
    size_t at;    /* in the trace: the next event to look at for this thread */
    size_t stand; /* index + 1 of the event before which it stands; 0: not yet begun */
    bool ended;
};

struct walk {
    const struct sn_turns *h;
    struct walker *w;
    size_t n;
    struct sn_schedule *out;
    bool failed;
};

static struct walker *walker_of(struct walk *k, uint32_t thread)
{
    for (size_t i = 0; i < k->n; i++)
        if (k->w[i].thread == thread)
            return &k->w[i];
    k->w = sn_xrealloc(k->w, k->n + 1, sizeof *k->w);
    k->w[k->n] = (struct walker){.thread = thread};
    return &k->w[k->n++];
}

/* The thread's next event at or after `from`; n: none. */
static size_t next_of(const struct sn_turns *h, uint32_t thread, size_t from)
{
    while (from < h->n && h->event[from].thread != thread)
        from++;
    return from;
}

static bool same_place(const struct sn_turns *h, uint32_t a, uint32_t b)
{
    const struct sn_trace_site *x = sn_trace_site(h->trace, a), *y = sn_trace_site(h->trace, b);
    return a == b || (x && y && x->module == y->module && x->offset == y->offset);
}

static void add_turn(struct walk *k, uint32_t thread, uint32_t nth, uint32_t site)
{
    const struct sn_trace_site *s = sn_trace_site(k->h->trace, site);
    const struct sn_trace_module *m = s ? sn_trace_module(k->h->trace, s->module) : NULL;
    const char *slash = m ? strrchr(m->path, '/') : NULL;
    if ((nth && !m) || k->out->nturns >= MAX_TURNS) {
        k->failed = true;
        return;
    }
    sn_schedule_add_turn(k->out, thread, nth, nth ? slash ? slash + 1 : m->path : NULL,
                         nth ? s->offset : 0);
}

/* The thread has taken all its events before w->at: it runs to the next place where it can stand. */
static void stop(struct walk *k, struct walker *w)
{
    const struct sn_turns *h = k->h;
    size_t to = w->at;
    while ((to = next_of(h, w->thread, to)) < h->n && !h->event[to].stop)
        to++;
    if (to >= h->n) {
        if (w->ended)
            add_turn(k, w->thread, 0, 0);
        return;
    }
    if (w->stand == to + 1)
        return;
    uint32_t nth = 0;
    for (size_t i = next_of(h, w->thread, w->stand); i <= to; i = next_of(h, w->thread, i + 1))
        nth += h->event[i].stop && same_place(h, h->event[i].site, h->event[to].site);
    w->stand = to + 1;
    add_turn(k, w->thread, nth, h->event[to].site);
}

/* `events` more events of the thread. */
static void take(struct walk *k, uint32_t thread, uint64_t events)
{
    struct walker *w = walker_of(k, thread);
    for (; events && !k->failed; events--) {
        size_t i = next_of(k->h, thread, w->at);
        if (i >= k->h->n) {
            k->failed = true;
            return;
        }
        w->ended = k->h->event[i].end;
        w->at = i + 1;
    }
    stop(k, w);
}

/* What was before the window happened as it was recorded. */
static void take_recorded(struct walk *k, uint64_t first)
{
    for (size_t i = 0; i < first && !k->failed;) {
        size_t from = i;
        while (i < first && k->h->event[i].thread == k->h->event[from].thread)
            i++;
        take(k, k->h->event[from].thread, i - from);
    }
}

bool sn_turns_of(const struct sn_turns *h, const struct sn_predicted *p, struct sn_schedule *out)
{
    struct walk k = {.h = h, .out = out};
    *out = (struct sn_schedule){0};
    if (!p->nruns || p->first > h->n)
        return false;
    take_recorded(&k, p->first);
    for (uint32_t i = 0; i < p->nruns && !k.failed; i++)
        take(&k, p->run[i].thread, p->run[i].events);
    free(k.w);
    if (k.failed) {
        sn_schedule_clear(out);
        *out = (struct sn_schedule){0};
    }
    return !k.failed && out->nturns > 0;
}
