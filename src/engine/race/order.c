/*
 * order.c: what locks were held when: a ring of lock operations per thread for reports, and the raw
 * material of lock-order findings: every distinct (held, taken) pair is written once per thread,
 * with the message clock, and the command looks for cycles.
 */
#include "clock.h"
#include "core/count.h"
#include "core/options.h"
#include "core/spin.h"
#include "core/sys.h"
#include "message.h"
#include "order.h"
#include "race.h"
#include "runtime/draft.h"

enum { EDGE_BITS = 16 };
static uint64_t edges[1u << EDGE_BITS]; /* hashes of edges written already; atomic */

/* First time that this edge is seen? Full table: no more edges, which only loses candidates. */
static int new_edge(uint64_t hash)
{
    for (unsigned i = 0; i < 16; i++) {
        uint64_t *e = &edges[(hash + i) & ((1u << EDGE_BITS) - 1)], none = 0;
        if (__atomic_load_n(e, __ATOMIC_RELAXED) == hash)
            return 0;
        if (!*e &&
            __atomic_compare_exchange_n(e, &none, hash, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return 1;
        if (*e == hash)
            return 0;
    }
    return 0;
}

static uint64_t mix(uint64_t a, uint64_t b)
{
    a ^= b + 0x9e3779b97f4a7c15ull + (a << 6) + (a >> 2);
    return (a ^ a >> 29) * 0xbf58476d1ce4e5b9ull;
}

/* At most this many held locks make edges: the innermost ones. */
enum { EDGES_PER_LOCK = 8 };

/* Code that takes pairs out of thousands of locks makes edges without end, and all of them are one
 * finding: a thread tells so many of them for two places. */
enum { EDGES_PER_PLACES = 1024, PLACES_BITS = 12 };
static uint16_t told[1u << PLACES_BITS]; /* by hash; relaxed: a few more or less do no harm */

static uint16_t *told_for(const struct sn_thread *t, uint32_t held, uint32_t taken)
{
    return &told[mix(mix(held, taken), t->number) >> (64 - PLACES_BITS)];
}

void sn_order_edges(struct sn_thread *t, struct sn_sync *to, uint32_t where, unsigned flags,
                    bool shared)
{
    if (!sn_opt.lock_order)
        return;
    struct sn_race_thread *r = sn_race_of(t);
    uint32_t n = t->nheld, first = n > EDGES_PER_LOCK ? n - EDGES_PER_LOCK : 0;
    for (uint32_t i = first; i < n; i++) {
        struct sn_held *h = &t->held[i];
        uint16_t *n_told = told_for(t, h->where, where);
        if (h->lock == to || __atomic_load_n(n_told, __ATOMIC_RELAXED) >= EDGES_PER_PLACES)
            continue;
        uint64_t id =
            mix(mix(h->id, to->id), mix(t->number + shared * 0x10000u, sn_ctx_pc(where))) | 1;
        if (!new_edge(id))
            continue;
        __atomic_store_n(n_told, *n_told + 1, __ATOMIC_RELAXED);
        sn_draft_lock_edge(t, h, to, where, flags, shared, r->slot, sn_message_now(t), r->message,
                           sn_clock_slots);
    }
}

static void undo_take(struct sn_held *out, int *n, const struct sn_lock_op *op)
{
    for (int i = *n; i-- > 0;)
        if (out[i].lock == op->lock && out[i].id == op->id) {
            out[i] = out[--*n];
            return;
        }
}

/* Where a lock that was given up later had been taken: the latest taking before entry i. */
static uint32_t taken_where(const struct sn_race_thread *r, uint32_t i, const struct sn_lock_op *op)
{
    uint32_t oldest = r->log_next > SN_LOCK_LOG ? r->log_next - SN_LOCK_LOG : 0;
    while (i-- > oldest) {
        const struct sn_lock_op *o = &r->log[i % SN_LOCK_LOG];
        if ((o->how & SN_LOG_TAKEN) && o->lock == op->lock && o->id == op->id)
            return o->where;
    }
    return 0;
}

int sn_order_held_at(uint32_t number, uint32_t epoch, struct sn_held *out, int max)
{
    struct sn_thread *t = sn_thread_by_number(number);
    if (!t || !sn_race_of(t)->log) /* a finished thread is good until its record is used again */
        return -1;
    struct sn_race_thread *r = sn_race_of(t);
    int n = 0;
    for (uint32_t i = 0; i < t->nheld && n < max; i++)
        out[n++] = t->held[i];
    for (uint32_t i = r->log_next; i-- > 0;) {
        if (r->log_next - i > SN_LOCK_LOG - 8) /* the owner may be writing the oldest ones */
            return -1;
        const struct sn_lock_op *op = &r->log[i % SN_LOCK_LOG];
        if (op->epoch <= epoch) /* an operation opens the epoch that it is logged with */
            return n;
        if (op->how & SN_LOG_TAKEN)
            undo_take(out, &n, op);
        else if (n < max)
            out[n++] = (struct sn_held){op->lock, op->id, taken_where(r, i, op), 0,
                                        (op->how & SN_LOG_SHARED) != 0};
    }
    return n;
}
