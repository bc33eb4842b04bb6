/*
 * encode.c: one record at a time into the block buffer; format.h says what is written.
 *
 * A record is written through a cursor that remembers running over; only a record that fits is
 * taken over into the block and into the model.
 */
#include "trace/encode.h"

#include <errno.h>

struct cursor {
    uint8_t *at, *end;
    int full;
};

static void put_byte(struct cursor *c, uint8_t b)
{
    if (c->at < c->end)
        *c->at++ = b;
    else
        c->full = 1;
}

static void put_number(struct cursor *c, uint64_t v)
{
    while (v >= 0x80) {
        put_byte(c, (uint8_t)(v | 0x80));
        v >>= 7;
    }
    put_byte(c, (uint8_t)v);
}

static void put_bytes(struct cursor *c, const void *data, size_t n)
{
    if ((size_t)(c->end - c->at) < n) {
        c->full = 1;
        return;
    }
    if (n)
        memcpy(c->at, data, n);
    c->at += n;
}

static void put_string(struct cursor *c, const char *s)
{
    size_t n = s ? strlen(s) : 0;
    put_number(c, n);
    put_bytes(c, s, n);
}

void sn_encode_head(uint8_t *out)
{
    uint32_t version = SN_TRACE_VERSION, zero = 0;
    memcpy(out, SN_TRACE_MAGIC, 8);
    memcpy(out + 8, &version, 4);
    memcpy(out + 12, &zero, 4);
}

/* Not by memset: it may run where vector registers have to stay (engine/record/calls.c). */
static void zero(void *p, size_t bytes)
{
    size_t words = bytes / 8;
    __asm__ volatile("rep stosq" : "+D"(p), "+c"(words) : "a"(0) : "memory");
}

void sn_encode_begin(struct sn_encoder *e, void *buffer, uint32_t capacity, uint64_t first)
{
    e->buffer = buffer;
    e->capacity = capacity;
    e->used = sizeof(struct sn_block_head);
    e->events = 0;
    e->first = first;
    _Static_assert(sizeof e->model % 8 == 0, "zeroed in words");
    zero(&e->model, sizeof e->model);
}

static struct cursor open_record(struct sn_encoder *e)
{
    return (struct cursor){e->buffer + e->used, e->buffer + e->capacity, 0};
}

static int close_record(struct sn_encoder *e, const struct cursor *c)
{
    if (c->full)
        return e->used == sizeof(struct sn_block_head) ? -E2BIG : -ENOSPC;
    e->used = (uint32_t)(c->at - e->buffer);
    return 0;
}

static void put_table(struct cursor *c, enum sn_table_record kind)
{
    put_byte(c, 0);
    put_byte(c, (uint8_t)kind);
}

int sn_encode_ops(struct sn_encoder *e)
{
    _Static_assert(SN_EV_COUNT <= SN_TAG_AGAIN, "operations fit the tag");
    struct cursor c = open_record(e);
    put_table(&c, SN_TABLE_OPS);
    put_number(&c, SN_EV_COUNT - 1);
    for (int op = 1; op < SN_EV_COUNT; op++) {
        put_number(&c, (uint64_t)op);
        put_string(&c, sn_event_name((enum sn_event_op)op));
    }
    return close_record(e, &c);
}

int sn_encode_site(struct sn_encoder *e, uint32_t number, const struct sn_trace_site *s)
{
    struct cursor c = open_record(e);
    put_table(&c, SN_TABLE_SITE);
    put_number(&c, number);
    put_number(&c, s->parent);
    put_number(&c, (uint32_t)(s->module + 1));
    put_number(&c, s->offset);
    put_string(&c, s->where);
    return close_record(e, &c);
}

int sn_encode_module(struct sn_encoder *e, uint32_t number, const struct sn_trace_module *m)
{
    struct cursor c = open_record(e);
    put_table(&c, SN_TABLE_MODULE);
    put_number(&c, number);
    put_number(&c, m->build_id_bytes);
    put_bytes(&c, m->build_id, m->build_id_bytes);
    put_number(&c, m->base);
    put_number(&c, m->start);
    put_number(&c, m->end);
    put_string(&c, m->path);
    return close_record(e, &c);
}

int sn_encode_name(struct sn_encoder *e, const struct sn_trace_name *n)
{
    struct cursor c = open_record(e);
    put_table(&c, SN_TABLE_NAME);
    put_number(&c, n->addr);
    put_number(&c, n->size);
    put_string(&c, n->name);
    return close_record(e, &c);
}

static unsigned number_bytes(uint64_t v)
{
    unsigned n = 1;
    while (v >>= 7)
        n++;
    return n;
}

static enum sn_addr_shape addr_shape(uint64_t addr, uint64_t by_site, uint64_t by_thread)
{
    if (!addr)
        return SN_ADDR_ZERO;
    if (addr == by_site)
        return SN_ADDR_SAME;
    return number_bytes(sn_zigzag(addr - by_site)) <= number_bytes(sn_zigzag(addr - by_thread))
               ? SN_ADDR_BY_SITE
               : SN_ADDR_BY_THREAD;
}

static enum sn_value_shape value_shape(uint64_t value, uint64_t by_site, uint64_t by_word)
{
    if (value == 0)
        return SN_VALUE_ZERO;
    if (value == by_word)
        return SN_VALUE_MEMORY;
    if (value == by_site)
        return SN_VALUE_BY_SITE;
    unsigned site = number_bytes(sn_zigzag(value - by_site));
    unsigned word = number_bytes(sn_zigzag(value - by_word));
    if (site > 8 && word > 8)
        return SN_VALUE_WHOLE;
    return site <= word ? SN_VALUE_BY_SITE : SN_VALUE_BY_MEMORY;
}

/* A block and its pointers. */
static void put_ranges(struct cursor *c, const struct sn_trace_event *ev)
{
    uint64_t last = 0;
    put_number(c, ev->nranges);
    for (uint32_t i = 0; i < ev->nranges; i++) {
        put_number(c, sn_zigzag(ev->ranges[i].addr - last));
        put_number(c, ev->ranges[i].size);
        last = ev->ranges[i].addr;
    }
}

static int same_ranges(const struct sn_model_call *m, const struct sn_trace_event *ev)
{
    if (m->n != ev->nranges || !m->n || (m->flags ^ ev->flags) & SN_TRACE_ROOTS)
        return 0;
    for (uint32_t i = 0; i < m->n; i++)
        if (m->range[i].addr != ev->ranges[i].addr || m->range[i].size != ev->ranges[i].size)
            return 0;
    return 1;
}

static void put_reach(struct cursor *c, const struct sn_trace_model *m,
                      const struct sn_trace_event *ev, int same)
{
    const struct sn_model_call *call = &m->call[ev->site % SN_MODEL_CALLS];
    uint64_t last = 0;
    put_number(c, (uint64_t)ev->nranges << SN_RANGES_SHIFT | (same ? SN_RANGES_SAME : 0) |
                      (ev->flags & SN_TRACE_ROOTS ? SN_RANGES_ROOTS : 0));
    for (uint32_t i = 0; i < ev->nranges && !same; i++) {
        last = i < call->n ? call->range[i].addr : last;
        put_number(c, sn_zigzag(ev->ranges[i].addr - last));
        put_number(c, ev->ranges[i].size);
        last = ev->ranges[i].addr;
    }
}

static int is_in_order(const struct sn_trace_event *ev)
{
    uint64_t last = 0;
    for (uint32_t i = 1; i < ev->nranges; i++) {
        if (ev->ranges[i].addr < last)
            return 0;
        last = ev->ranges[i].addr;
    }
    return last <= UINT32_MAX;
}

/* A pointer is the distance from the one before, with a bit that says whether it is as expected;
 * else the difference follows. */
static void put_block(struct cursor *c, const struct sn_trace_model *m,
                      const struct sn_trace_event *ev)
{
    uint64_t block = ev->ranges[0].addr, last = 0;
    put_number(c, sn_zigzag(block - m->block));
    put_number(c, ev->ranges[0].size);
    put_number(c, ev->nranges - 1);
    for (uint32_t i = 1; i < ev->nranges; i++) {
        uint64_t offset = ev->ranges[i].addr;
        uint64_t other = ev->ranges[i].size - sn_model_pointer(m, block, offset);
        put_number(c, (offset - last) << 1 | !other);
        if (other)
            put_number(c, sn_zigzag(other));
        last = offset;
    }
}

/* Not an event: it has no thread, no site, and is not counted. */
static int encode_node(struct sn_encoder *e, const struct sn_trace_event *ev)
{
    struct cursor c = open_record(e);
    int in_order = ev->nranges && is_in_order(ev);
    put_table(&c, in_order ? SN_TABLE_BLOCK : SN_TABLE_NODE);
    if (in_order)
        put_block(&c, &e->model, ev);
    else
        put_ranges(&c, ev);
    int r = close_record(e, &c);
    if (!r && in_order)
        sn_model_block(&e->model, ev);
    return r;
}

static int has_value(const struct sn_trace_event *ev)
{
    return ev->flags & SN_TRACE_VALUE || !sn_trace_is_access(ev->ev.op);
}

static void put_fields(struct cursor *c, const struct sn_trace_model *m,
                       const struct sn_trace_event *ev, uint32_t thread)
{
    unsigned t = thread % SN_MODEL_THREADS, s = ev->site % SN_MODEL_SITES;
    uint64_t by_word = sn_model_value_at(m, ev->ev.addr);
    int predicted = sn_model_site(m, thread, ev->ev.op) == ev->site;
    int same_size = m->site[s].size == ev->ev.size;
    enum sn_addr_shape addr = addr_shape(ev->ev.addr, m->site[s].addr, m->last[t].addr);
    enum sn_value_shape value = SN_VALUE_UNKNOWN;
    if (has_value(ev))
        value = value_shape(ev->ev.value, m->site[s].value, by_word);

    put_byte(c, (uint8_t)((predicted ? SN_SITE_PREDICTED : SN_SITE_GIVEN) << SN_SITE_SHIFT |
                          addr << SN_ADDR_SHIFT |
                          (same_size ? SN_SIZE_SAME : SN_SIZE_GIVEN) << SN_SIZE_SHIFT |
                          value << SN_VALUE_SHIFT));
    if (!predicted)
        put_number(c, ev->site);
    if (addr == SN_ADDR_BY_SITE)
        put_number(c, sn_zigzag(ev->ev.addr - m->site[s].addr));
    else if (addr == SN_ADDR_BY_THREAD)
        put_number(c, sn_zigzag(ev->ev.addr - m->last[t].addr));
    if (!same_size)
        put_number(c, ev->ev.size);
    if (value == SN_VALUE_BY_SITE)
        put_number(c, sn_zigzag(ev->ev.value - m->site[s].value));
    else if (value == SN_VALUE_BY_MEMORY)
        put_number(c, sn_zigzag(ev->ev.value - by_word));
    else if (value == SN_VALUE_WHOLE)
        for (unsigned i = 0; i < 64; i += 8)
            put_byte(c, (uint8_t)(ev->ev.value >> i));
    if (ev->ev.op == SN_EV_ATOMIC_RMW && value != SN_VALUE_UNKNOWN)
        put_number(c, sn_zigzag(ev->old - by_word));
}

int sn_encode_back(struct sn_encoder *e, uint32_t thread, uint32_t site, uint64_t callee)
{
    const struct sn_trace_model *m = &e->model;
    unsigned t = thread % SN_MODEL_THREADS;
    if (thread != m->thread || site != m->last[t].site || callee != m->last[t].callee || !callee ||
        e->used == e->capacity)
        return 0;
    e->buffer[e->used++] = SN_TAG_BACK;
    e->events++;
    return 1;
}

static int is_plain_back(const struct sn_trace_event *ev)
{
    return ev->ev.op == SN_EV_ENTER_CODE && !ev->ev.flags && !ev->ev.order && !ev->ev.addr &&
           !ev->ev.size;
}

static void put_event(struct cursor *c, const struct sn_trace_model *m,
                      const struct sn_trace_event *ev)
{
    uint32_t extra = ev->ev.flags | (uint32_t)ev->ev.order << 8;
    uint8_t tag = ev->ev.op;
    if (ev->thread != m->thread)
        tag |= SN_TAG_THREAD;
    if (extra)
        tag |= SN_TAG_EXTRA;
    put_byte(c, tag);
    if (tag & SN_TAG_THREAD)
        put_number(c, ev->thread);
    if (extra)
        put_number(c, extra);
    put_fields(c, m, ev, ev->thread);
}

static int is_again(const struct sn_trace_model *m, const struct sn_trace_event *ev)
{
    unsigned s = ev->site % SN_MODEL_SITES;
    return ev->thread == m->thread && sn_model_site(m, ev->thread, ev->ev.op) == ev->site &&
           !ev->ev.flags && !ev->ev.order && !ev->ev.addr && ev->ev.size == m->site[s].size &&
           ev->ev.value == m->site[s].value;
}

static int encode_leave(struct sn_encoder *e, const struct sn_trace_event *ev)
{
    struct cursor c = open_record(e);
    int same = same_ranges(&e->model.call[ev->site % SN_MODEL_CALLS], ev);
    if (same && is_again(&e->model, ev)) {
        put_byte(&c, SN_TAG_AGAIN);
    } else {
        put_event(&c, &e->model, ev);
        put_reach(&c, &e->model, ev, same);
    }
    int r = close_record(e, &c);
    if (!r)
        sn_model_call(&e->model, ev, same);
    return r;
}

static int encode_other(struct sn_encoder *e, const struct sn_trace_event *ev)
{
    struct cursor c = open_record(e);
    put_event(&c, &e->model, ev);
    return close_record(e, &c);
}

int sn_encode_event(struct sn_encoder *e, const struct sn_trace_event *ev)
{
    if (ev->ev.op == SN_EV_NONE)
        return encode_node(e, ev);
    if (is_plain_back(ev) && sn_encode_back(e, ev->thread, ev->site, ev->ev.value))
        return 0;
    int r = ev->ev.op == SN_EV_LEAVE_CODE ? encode_leave(e, ev) : encode_other(e, ev);
    if (r)
        return r;
    sn_model_learn(&e->model, ev, has_value(ev));
    e->events++;
    return 0;
}

uint32_t sn_encode_end(struct sn_encoder *e)
{
    struct sn_block_head h = {.magic = SN_BLOCK_MAGIC,
                              .codec = SN_CODEC_RAW,
                              .kind = SN_BLOCK_RECORDS,
                              .events = e->events,
                              .first = e->first};
    if (e->used == sizeof h)
        return 0;
    h.stored = h.raw = e->used - (uint32_t)sizeof h;
    h.crc = sn_block_crc(&h, e->buffer + sizeof h);
    memcpy(e->buffer, &h, sizeof h);
    return e->used;
}

void sn_encode_last(uint8_t *out, uint64_t events)
{
    struct sn_block_head h = {.magic = SN_BLOCK_MAGIC, .kind = SN_BLOCK_END, .first = events};
    h.crc = sn_block_crc(&h, out);
    memcpy(out, &h, sizeof h);
}
