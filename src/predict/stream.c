/*
 * stream.c: reads a trace once from front to back and cuts it into windows, carrying along what a
 * window needs to know of its past: held locks, open BarrierPairs with their D, and memory.
 */
#include "predict/window.h"

#include <stdlib.h>
#include <string.h>

#include "predict/reach.h"

#define MEMORY_SLOTS (1u << 18) /* 6 MiB; a word that lost its slot is only unknown again */

struct held {
    uint64_t addr;
    uint32_t site;
    bool shared, unsure;
};

struct open_pair {
    struct sn_trace_range *range; /* malloc */
    uint32_t nranges;
    uint32_t in_window; /* 1 + index in the current window's pairs; 0: not yet there */
};

struct thread {
    uint32_t number;
    uint32_t in_window; /* 1 + index in the current window; 0: not yet there */
    bool ended;
    uint32_t ignores_reads, ignores_writes; /* annotations; they nest */
    struct held *held;
    uint32_t nheld, cap_held;
    struct open_pair *pair;
    uint32_t npairs, cap_pairs;
};

struct sn_stream {
    struct sn_trace *trace;
    uint32_t size;
    uint64_t events;
    struct thread *thread; /* sorted by number */
    uint32_t nthreads, cap_threads;
    struct sn_reach *reach;
    struct sn_wword *memory;
    const struct sn_trace_range *still; /* in no D */
    uint32_t nstill;
    struct sn_trace_range *benign; /* malloc */
    uint32_t nbenign;
};

static void *need(void *p)
{
    if (!p)
        abort();
    return p;
}

struct sn_stream *sn_stream_new(struct sn_trace *t, uint32_t size)
{
    struct sn_stream *s = need(calloc(1, sizeof *s));
    s->trace = t;
    s->size = size;
    s->reach = sn_reach_new();
    s->memory = need(calloc(MEMORY_SLOTS, sizeof *s->memory));
    return s;
}

void sn_stream_still(struct sn_stream *s, const struct sn_trace_range *still, uint32_t n)
{
    s->still = still;
    s->nstill = n;
}

static void free_thread(struct thread *t)
{
    for (uint32_t i = 0; i < t->npairs; i++)
        free(t->pair[i].range);
    free(t->pair);
    free(t->held);
}

void sn_stream_free(struct sn_stream *s)
{
    if (!s)
        return;
    for (uint32_t i = 0; i < s->nthreads; i++)
        free_thread(&s->thread[i]);
    sn_reach_free(s->reach);
    free(s->thread);
    free(s->memory);
    free(s->benign);
    free(s);
}

static struct thread *thread_of(struct sn_stream *s, uint32_t number)
{
    uint32_t low = 0, high = s->nthreads;
    while (low < high) {
        uint32_t mid = (low + high) / 2;
        if (s->thread[mid].number < number)
            low = mid + 1;
        else
            high = mid;
    }
    if (low < s->nthreads && s->thread[low].number == number)
        return &s->thread[low];
    if (s->nthreads == s->cap_threads) {
        s->cap_threads = s->cap_threads ? s->cap_threads * 2 : 16;
        s->thread = need(realloc(s->thread, s->cap_threads * sizeof *s->thread));
    }
    memmove(s->thread + low + 1, s->thread + low, (s->nthreads - low) * sizeof *s->thread);
    s->nthreads++;
    s->thread[low] = (struct thread){.number = number};
    return &s->thread[low];
}

/* Memory, as far as it is remembered. */

static uint64_t hash_word(uint64_t word)
{
    return word * 0x9e3779b97f4a7c15ull >> 32;
}

static uint8_t byte_mask(unsigned offset, unsigned size)
{
    return (uint8_t)(((1u << size) - 1) << offset);
}

static uint64_t value_mask(uint8_t bytes)
{
    uint64_t m = 0;
    for (unsigned i = 0; i < 8; i++)
        if (bytes >> i & 1)
            m |= 0xffull << (8 * i);
    return m;
}

static struct sn_wword *start_slot(const struct sn_window *w, uint64_t word)
{
    uint64_t i = hash_word(word) & (w->cap_words - 1);
    while (w->word[i].addr && w->word[i].addr != word)
        i = (i + 1) & (w->cap_words - 1);
    return &w->word[i];
}

/* The first time that a window touches a word: keep what it was when the window began. */
static void touch(const struct sn_stream *s, struct sn_window *w, uint64_t word)
{
    const struct sn_wword *now = &s->memory[hash_word(word) % MEMORY_SLOTS];
    struct sn_wword *start = start_slot(w, word);
    if (start->addr)
        return;
    start->addr = word;
    if (now->addr == word) {
        start->value = now->value;
        start->known = now->known;
    }
}

static void remember(struct sn_stream *s, uint64_t word, uint8_t bytes, uint64_t value, bool known)
{
    struct sn_wword *now = &s->memory[hash_word(word) % MEMORY_SLOTS];
    if (now->addr != word)
        *now = (struct sn_wword){.addr = word};
    now->known &= (uint8_t)~bytes;
    if (!known)
        return;
    now->known |= bytes;
    now->value = (now->value & ~value_mask(bytes)) | (value & value_mask(bytes));
}

static void forget_memory(struct sn_stream *s, uint64_t addr, uint64_t size)
{
    uint64_t first = addr / 8, last = (addr + size + 7) / 8;
    if (last - first > MEMORY_SLOTS) {
        for (uint32_t i = 0; i < MEMORY_SLOTS; i++)
            if (s->memory[i].addr >= first && s->memory[i].addr < last)
                s->memory[i].known = 0;
        return;
    }
    for (uint64_t word = first; word < last; word++) {
        struct sn_wword *now = &s->memory[hash_word(word) % MEMORY_SLOTS];
        if (now->addr == word)
            now->known = 0;
    }
}

static bool only_reads(const struct sn_wevent *e)
{
    return e->op == SN_EV_READ || e->op == SN_EV_ATOMIC_LOAD;
}

/* Long accesses have no value: a write makes memory unknown, a read tells nothing. */
static void access_memory(struct sn_stream *s, struct sn_window *w, const struct sn_wevent *e)
{
    if (e->size > 8) {
        if (!only_reads(e))
            forget_memory(s, e->addr, e->size);
        return;
    }
    for (unsigned done = 0; done < e->size;) {
        uint64_t addr = e->addr + done;
        unsigned offset = addr % 8, size = 8 - offset;
        if (size > e->size - done)
            size = (unsigned)e->size - done;
        touch(s, w, addr / 8);
        if (e->has_value || !only_reads(e))
            remember(s, addr / 8, byte_mask(offset, size), e->value >> (8 * done) << (8 * offset),
                     e->has_value);
        done += size;
    }
}

bool sn_window_start_value(const struct sn_window *w, uint64_t addr, unsigned size, uint64_t *value)
{
    const struct sn_wword *start = start_slot(w, addr / 8);
    uint8_t bytes = byte_mask(addr % 8, size);
    if (!start->addr || (start->known & bytes) != bytes)
        return false;
    *value = (start->value & value_mask(bytes)) >> (8 * (addr % 8));
    return true;
}

/* Locks. */

static void take_lock(struct thread *t, const struct sn_wevent *e)
{
    if (t->nheld == t->cap_held) {
        t->cap_held = t->cap_held ? t->cap_held * 2 : 8;
        t->held = need(realloc(t->held, t->cap_held * sizeof *t->held));
    }
    t->held[t->nheld++] = (struct held){e->addr, e->site, e->op == SN_EV_RDLOCK, false};
}

static void give_lock(struct thread *t, const struct sn_wevent *e)
{
    for (uint32_t i = t->nheld; i-- > 0;) {
        if (t->held[i].addr != e->addr)
            continue;
        memmove(t->held + i, t->held + i + 1, (t->nheld - i - 1) * sizeof *t->held);
        t->nheld--;
        return;
    }
}

/* What annotations say is no race. */

static void add_benign(struct sn_stream *s, const struct sn_wevent *e)
{
    s->benign = need(realloc(s->benign, (s->nbenign + 1) * sizeof *s->benign));
    s->benign[s->nbenign++] = (struct sn_trace_range){e->addr, e->size};
}

static void ignore(struct thread *t, uint64_t what, int by)
{
    t->ignores_reads += what & 1 ? (uint32_t)by : 0;
    t->ignores_writes += what & 2 ? (uint32_t)by : 0;
}

static bool is_quiet(const struct sn_stream *s, const struct thread *t, const struct sn_wevent *e)
{
    bool reads = only_reads(e) || e->op == SN_EV_ATOMIC_RMW, writes = !only_reads(e);
    if ((!reads || t->ignores_reads) && (!writes || t->ignores_writes))
        return true;
    for (uint32_t i = 0; i < s->nbenign; i++)
        if (e->addr - s->benign[i].addr < s->benign[i].size)
            return true;
    return false;
}

/* BarrierPairs. */

static void add_pair(struct sn_arena *a, struct sn_window *w, uint32_t thread, int32_t begin,
                     struct open_pair *p)
{
    uint32_t first = w->nranges;
    for (uint32_t i = 0; i < p->nranges; i++)
        SN_PUSH(a, w->range, w->nranges, w->cap_ranges, p->range[i]);
    SN_PUSH(a, w->pair, w->npairs, w->cap_pairs,
            (struct sn_wpair){thread, begin, 0, first, p->nranges});
    p->in_window = w->npairs;
}

static void doubt_locks(struct thread *t, const struct open_pair *p)
{
    for (uint32_t i = 0; i < t->nheld; i++)
        for (uint32_t k = 0; k < p->nranges; k++)
            t->held[i].unsure |= t->held[i].addr - p->range[k].addr < p->range[k].size;
}

static bool is_still(const struct sn_stream *s, const struct sn_trace_range *r)
{
    for (uint32_t i = 0; i < s->nstill; i++)
        if (r->addr >= s->still[i].addr &&
            r->addr + r->size <= s->still[i].addr + s->still[i].size)
            return true;
    return false;
}

static void begin_pair(struct sn_stream *s, struct sn_arena *a, struct sn_window *w,
                       struct thread *t, const struct sn_trace_event *ev)
{
    const struct sn_trace_range *range = ev->ranges;
    struct sn_trace_range *walked;
    struct open_pair p = {.nranges = ev->nranges};
    if (ev->flags & SN_TRACE_ROOTS) {
        p.nranges = sn_reach_walk(s->reach, a, ev->ranges, ev->nranges, &walked);
        range = walked;
    }
    if (t->npairs == t->cap_pairs) {
        t->cap_pairs = t->cap_pairs ? t->cap_pairs * 2 : 4;
        t->pair = need(realloc(t->pair, t->cap_pairs * sizeof *t->pair));
    }
    p.range = need(malloc((p.nranges ? p.nranges : 1) * sizeof *p.range));
    uint32_t all = p.nranges;
    p.nranges = 0;
    for (uint32_t i = 0; i < all; i++)
        if (!is_still(s, &range[i]))
            p.range[p.nranges++] = range[i];
    doubt_locks(t, &p);
    t->pair[t->npairs] = p;
    add_pair(a, w, t->in_window - 1, (int32_t)w->n, &t->pair[t->npairs++]);
}

static void end_pair(struct sn_window *w, struct thread *t)
{
    if (t->npairs == 0)
        return; /* its begin was before the recording */
    struct open_pair *p = &t->pair[--t->npairs];
    w->pair[p->in_window - 1].end = w->n;
    free(p->range);
}

/* One event into the window, and its effect on what is carried along. */

static uint32_t window_thread(struct sn_arena *a, struct sn_window *w, struct thread *t)
{
    if (t->in_window)
        return t->in_window - 1;
    w->thread[w->nthreads++] = t->number;
    t->in_window = w->nthreads;
    for (uint32_t i = 0; i < t->nheld; i++)
        SN_PUSH(a, w->held, w->nheld, w->cap_held,
                (struct sn_wheld){t->in_window - 1, t->held[i].site, t->held[i].addr,
                                  t->held[i].shared, t->held[i].unsure});
    return t->in_window - 1;
}

static void apply(struct sn_stream *s, struct sn_arena *a, struct sn_window *w, struct thread *t,
                  const struct sn_trace_event *ev)
{
    struct sn_wevent *e = &w->ev[w->n];
    switch (e->op) {
    case SN_EV_LOCK:
    case SN_EV_RDLOCK:
        take_lock(t, e);
        break;
    case SN_EV_UNLOCK:
    case SN_EV_RDUNLOCK:
        give_lock(t, e);
        break;
    case SN_EV_LEAVE_CODE:
        begin_pair(s, a, w, t, ev);
        break;
    case SN_EV_ENTER_CODE:
        end_pair(w, t);
        break;
    case SN_EV_END:
        t->ended = true;
        break;
    case SN_EV_IGNORE:
    case SN_EV_WATCH:
        ignore(t, e->value, e->op == SN_EV_IGNORE ? 1 : -1);
        break;
    case SN_EV_BENIGN:
        add_benign(s, e);
        break;
    case SN_EV_FREE:
    case SN_EV_UNMAP:
        sn_reach_forget(s->reach, e->addr, e->size);
        forget_memory(s, e->addr, e->size);
        break;
    case SN_EV_ALLOC:
    case SN_EV_MAP:
        forget_memory(s, e->addr, e->size);
        break;
    default:
        if (!sn_trace_is_access(e->op))
            break;
        e->quiet = is_quiet(s, t, e);
        access_memory(s, w, e);
        if (!only_reads(e) && e->has_value && e->size == 8)
            sn_reach_write(s->reach, e->addr, e->value);
    }
}

static void add_event(struct sn_stream *s, struct sn_arena *a, struct sn_window *w,
                      const struct sn_trace_event *ev)
{
    struct thread *t = thread_of(s, ev->thread);
    struct sn_wevent *e = &w->ev[w->n];
    *e = (struct sn_wevent){.op = ev->ev.op,
                            .flags = ev->ev.flags,
                            .order = ev->ev.order,
                            .has_value = ev->flags & SN_TRACE_VALUE,
                            .site = ev->site,
                            .addr = ev->ev.addr,
                            .size = ev->ev.size,
                            .value = ev->ev.value,
                            .old = ev->old};
    e->thread = window_thread(a, w, t);
    apply(s, a, w, t, ev);
    w->n++;
}

/* Threads that are over are forgotten, so that memory does not grow with their number. */
static void drop_ended(struct sn_stream *s)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->nthreads; i++) {
        s->thread[i].in_window = 0;
        if (s->thread[i].ended)
            free_thread(&s->thread[i]);
        else
            s->thread[kept++] = s->thread[i];
    }
    s->nthreads = kept;
}

static void begin_window(struct sn_stream *s, struct sn_arena *a, struct sn_window *w)
{
    memset(w, 0, sizeof *w);
    drop_ended(s);
    w->first = s->events;
    w->ev = SN_NEW(a, struct sn_wevent, s->size);
    w->thread = SN_NEW(a, uint32_t, s->size + s->nthreads);
    /* An event touches two words at most: twice as many slots as can be used. */
    w->cap_words = 64;
    while (w->cap_words < 4 * s->size)
        w->cap_words *= 2;
    w->word = SN_NEW(a, struct sn_wword, w->cap_words);
}

/* Pairs that were open before and whose thread is in the window: known only when it turns up, but
 * they count from the start. */
static void open_pairs(struct sn_stream *s, struct sn_arena *a, struct sn_window *w)
{
    for (uint32_t i = 0; i < s->nthreads; i++) {
        struct thread *t = &s->thread[i];
        for (uint32_t k = 0; k < t->npairs; k++) {
            window_thread(a, w, t);
            add_pair(a, w, t->in_window - 1, -1, &t->pair[k]);
        }
    }
}

static void close_window(struct sn_stream *s, struct sn_window *w)
{
    for (uint32_t i = 0; i < s->nthreads; i++)
        for (uint32_t k = 0; k < s->thread[i].npairs; k++)
            w->pair[s->thread[i].pair[k].in_window - 1].end = w->n;
}

int sn_stream_next(struct sn_stream *s, struct sn_arena *a, struct sn_window *w)
{
    struct sn_trace_event ev;
    int r = 0;
    begin_window(s, a, w);
    open_pairs(s, a, w);
    while (w->n < s->size && (r = sn_trace_next(s->trace, &ev)) > 0) {
        if (ev.ev.op == SN_EV_NONE) {
            sn_reach_block(s->reach, ev.ranges, ev.nranges);
            continue;
        }
        add_event(s, a, w, &ev);
    }
    close_window(s, w);
    s->events += w->n;
    return r < 0 ? r : w->n > 0;
}
