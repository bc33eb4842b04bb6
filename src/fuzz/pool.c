/*
 * pool.c: executions at once, see pool.h. A slot is free again as soon as its execution is read in;
 * only when its run files may still be wanted (it has found something) it stays until it was handed
 * over.
 */
#include "fuzz/pool.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "cmd/launch.h"
#include "cmd/run_dir.h"
#include "fuzz/server.h"
#include "store/xalloc.h"

enum { AHEAD = 4, MOST = 256 }; /* results that wait to be handed over, for each slot; slots */

enum item_state { EMPTY, RUNNING, DONE };

struct item {
    enum item_state state;
    struct sn_schedule s;
    struct sn_execution e;
    size_t slot;
    bool holds; /* its slot must not begin another */
};

struct queue {
    struct sn_pool *p;
    const struct sn_pool_work *w;
    struct item *item; /* by number modulo room */
    size_t room;
    bool *busy;              /* by slot */
    int64_t next, begun, to; /* to hand over; to begin; the end */
    int status;
    bool alone; /* a server is gone: from here on one after the other */
};

int sn_pool_open(struct sn_pool *p, struct sn_runner *first, size_t jobs, char **why)
{
    size_t n = jobs < 1 ? 1 : jobs > MOST ? MOST : jobs;
    *p = (struct sn_pool){.slot = sn_xcalloc(n, sizeof *p->slot)};
    p->slot[p->n++] = first;
    while (p->n < n) {
        struct sn_runner *r = sn_xcalloc(1, sizeof *r);
        *r = (struct sn_runner){.argv = first->argv,
                                .folder = first->folder,
                                .rt = first->rt,
                                .keep_output = first->keep_output};
        int e = sn_run_dir_make_quick(NULL, &r->dir, why);
        if (e < 0) {
            free(r);
            return e;
        }
        p->slot[p->n++] = r;
    }
    return 0;
}

void sn_pool_close(struct sn_pool *p)
{
    for (size_t i = 1; i < p->n; i++) {
        sn_runner_stop(p->slot[i]);
        sn_run_dir_remove(p->slot[i]->dir);
        free(p->slot[i]->dir);
        free(p->slot[i]);
    }
    free(p->slot);
    *p = (struct sn_pool){0};
}

static struct item *item_of(struct queue *q, int64_t i)
{
    return &q->item[(size_t)i % q->room];
}

static size_t free_slot(const struct queue *q)
{
    size_t i = 0;
    while (i < q->p->n && q->busy[i])
        i++;
    return i;
}

/* What the first runner has learned meanwhile. */
static void adjust(struct queue *q, size_t slot)
{
    struct sn_runner *r = q->p->slot[slot], *first = q->p->slot[0];
    r->timeout_s = first->timeout_s;
    r->expected = first->expected;
}

static void begin_some(struct queue *q)
{
    size_t slot;
    while (!q->alone && q->begun < q->to && q->begun - q->next < (int64_t)q->room &&
           (slot = free_slot(q)) < q->p->n) {
        struct item *it = item_of(q, q->begun);
        *it = (struct item){.slot = slot};
        if (!q->w->make(q->w->arg, q->begun, &it->s))
            return;
        adjust(q, slot);
        if (!sn_execute_begin(q->p->slot[slot], &it->s)) {
            q->w->drop(q->w->arg, q->begun, &it->s);
            q->alone = true;
            return;
        }
        it->state = RUNNING;
        q->busy[slot] = true;
        q->begun++;
    }
}

static bool is_boring(const struct sn_execution *e)
{
    return e->end == SN_END_OK && !e->nfound && !e->asked_to_stop;
}

static void look_at(struct queue *q, struct item *it)
{
    struct sn_runner *r = q->p->slot[it->slot];
    struct sn_ended ended;
    int seen = sn_server_look(r->server, &ended);
    if (seen == 0)
        return;
    if (seen < 0) {
        sn_runner_stop(r);
        q->alone = true;
        it->state = EMPTY;
        q->busy[it->slot] = false;
        return;
    }
    int status = sn_execute_end(r, &ended, &it->e);
    if (status)
        q->status = status;
    it->state = DONE;
    it->holds = !is_boring(&it->e);
    q->busy[it->slot] = it->holds;
}

static void await_some(struct queue *q)
{
    struct pollfd p[MOST];
    nfds_t n = 0;
    double until = sn_server_clock() + 1;
    for (int64_t i = q->next; i < q->begun; i++) {
        struct item *it = item_of(q, i);
        if (it->state != RUNNING)
            continue;
        const struct sn_server *s = q->p->slot[it->slot]->server;
        p[n++] = (struct pollfd){.fd = sn_server_fd(s), .events = POLLIN};
        if (sn_server_deadline(s) < until)
            until = sn_server_deadline(s);
    }
    double left = until - sn_server_clock();
    if (poll(p, n, left > 0 ? (int)(left * 1000) + 1 : 0) < 0 && errno != EINTR)
        q->alone = true;
    for (int64_t i = q->next; i < q->begun; i++)
        if (item_of(q, i)->state == RUNNING)
            look_at(q, item_of(q, i));
}

/* The user wants it to end: that goes before the order. */
static bool was_asked_to_stop(struct queue *q)
{
    for (int64_t i = q->next; i < q->begun; i++) {
        struct item *it = item_of(q, i);
        if (it->state == DONE && it->e.asked_to_stop) {
            q->w->took(q->w->arg, i, &it->s, &it->e);
            return true;
        }
    }
    return false;
}

/* Those that are done, in their order; false: no more are wanted. */
static bool hand_over(struct queue *q)
{
    if (was_asked_to_stop(q))
        return false;
    while (q->next < q->begun && item_of(q, q->next)->state == DONE && !q->status) {
        struct item *it = item_of(q, q->next);
        bool more = q->w->took(q->w->arg, q->next, &it->s, &it->e);
        sn_execution_clear(&it->e);
        it->state = EMPTY;
        if (it->holds)
            q->busy[it->slot] = false;
        q->next++;
        if (!more)
            return false;
    }
    return true;
}

static void throw_away(struct queue *q)
{
    for (int64_t i = q->next; i < q->begun; i++) {
        struct item *it = item_of(q, i);
        if (it->state == RUNNING)
            sn_server_cancel(q->p->slot[it->slot]->server);
        if (it->state == DONE)
            sn_execution_clear(&it->e);
        q->busy[it->slot] = false;
        it->state = EMPTY;
        q->w->drop(q->w->arg, i, &it->s);
    }
    q->begun = q->next;
}

/* One after the other, in the first slot. */
static int run_alone(struct queue *q)
{
    for (bool more = true; q->next < q->to && more && !q->status; q->next++) {
        struct sn_schedule s = {0};
        struct sn_execution e;
        if (!q->w->make(q->w->arg, q->next, &s))
            break;
        q->status = sn_execute(q->p->slot[0], &s, &e);
        if (q->status)
            q->w->drop(q->w->arg, q->next, &s);
        else
            more = q->w->took(q->w->arg, q->next, &s, &e);
        sn_execution_clear(&e);
    }
    return q->status;
}

int sn_pool_run(struct sn_pool *p, int64_t from, int64_t to, const struct sn_pool_work *w)
{
    struct queue q = {.p = p, .w = w, .next = from, .begun = from, .to = to, .room = AHEAD * p->n};
    if (p->n == 1 || p->slot[0]->show || p->slot[0]->no_server)
        return run_alone(&q);
    q.item = sn_xcalloc(q.room, sizeof *q.item);
    q.busy = sn_xcalloc(p->n, sizeof *q.busy);
    bool more = true;
    while (more && q.next < to && !q.status && !q.alone) {
        begin_some(&q);
        if (q.begun == q.next)
            break;
        if (item_of(&q, q.next)->state == RUNNING)
            await_some(&q);
        more = hand_over(&q);
    }
    throw_away(&q);
    if (more && !q.status && q.alone)
        run_alone(&q);
    free(q.item);
    free(q.busy);
    return q.status;
}
