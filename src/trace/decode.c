/*
 * decode.c: the inverse of encode.c. After the first failure the cursor stands still and yields
 * zeros, so that a record is read to its end and then judged once.
 */
#include "trace/decode.h"

#include <errno.h>
#include <stdlib.h>

static void fail(struct sn_decoder *d, const char *why)
{
    if (!d->why)
        d->why = why;
}

static uint8_t get_byte(struct sn_decoder *d)
{
    if (d->why)
        return 0;
    if (d->at < d->end)
        return *d->at++;
    fail(d, "a record runs over the end of its block");
    return 0;
}

static uint64_t get_number(struct sn_decoder *d)
{
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint8_t b = get_byte(d);
        if (shift == 63 && b > 1)
            fail(d, "a number has more than 64 bits");
        v |= (uint64_t)(b & 0x7f) << shift;
        if (!(b & 0x80))
            return d->why ? 0 : v;
    }
    fail(d, "a number has more than 64 bits");
    return 0;
}

static uint32_t get_number32(struct sn_decoder *d)
{
    uint64_t v = get_number(d);
    if (v > UINT32_MAX)
        fail(d, "a number has more than 32 bits");
    return d->why ? 0 : (uint32_t)v;
}

static const uint8_t *get_bytes(struct sn_decoder *d, uint64_t n)
{
    if (n > (uint64_t)(d->end - d->at))
        fail(d, "a string runs over the end of its block");
    if (d->why)
        return d->start;
    const uint8_t *p = d->at;
    d->at += n;
    return p;
}

static void get_text(struct sn_decoder *d, struct sn_table_item *item)
{
    item->text_bytes = get_number(d);
    item->text = (const char *)get_bytes(d, item->text_bytes);
    if (!d->why && memchr(item->text, 0, item->text_bytes))
        fail(d, "a string has a zero byte");
}

static void get_ops(struct sn_decoder *d)
{
    uint64_t n = get_number(d);
    for (uint64_t i = 0; i < n && !d->why; i++) {
        uint64_t number = get_number(d), length = get_number(d);
        const uint8_t *name = get_bytes(d, length);
        char word[64] = "";
        if (number == 0 || number > SN_TAG_OP || length >= sizeof word)
            fail(d, "an operation's number or name is out of range");
        if (d->why)
            return;
        memcpy(word, name, length);
        d->op[number] = (uint8_t)sn_event_by_name(word);
    }
}

static bool grow_ranges(struct sn_decoder *d, uint64_t n)
{
    if (n <= d->cap_ranges)
        return true;
    struct sn_trace_range *grown = realloc(d->ranges, n * sizeof *grown);
    if (!grown) {
        fail(d, "out of memory");
        return false;
    }
    d->ranges = grown;
    d->cap_ranges = (uint32_t)n;
    return true;
}

static bool room_for_ranges(struct sn_decoder *d, uint64_t n)
{
    if (n > (uint64_t)(d->end - d->at) / 2) /* a range is two bytes at least */
        fail(d, "more ranges than the block has bytes for");
    return !d->why && grow_ranges(d, n);
}

/* What a leave-code reaches. */
static bool get_reach(struct sn_decoder *d, struct sn_trace_event *ev)
{
    const struct sn_model_call *call = &d->model.call[ev->site % SN_MODEL_CALLS];
    uint64_t head = get_number(d), n = head >> SN_RANGES_SHIFT, last = 0;
    ev->flags |= head & SN_RANGES_ROOTS ? SN_TRACE_ROOTS : 0;
    if (head & SN_RANGES_SAME) {
        if (n != call->n)
            fail(d, "the ranges of a call are said to be those of another one that has none");
        ev->nranges = d->why ? 0 : call->n;
        ev->ranges = call->range;
        return true;
    }
    if (!room_for_ranges(d, n))
        return false;
    for (uint64_t i = 0; i < n; i++) {
        last = (i < call->n ? call->range[i].addr : last) + sn_unzigzag(get_number(d));
        d->ranges[i] = (struct sn_trace_range){last, get_number(d)};
    }
    ev->nranges = (uint32_t)n;
    ev->ranges = d->ranges;
    return false;
}

/* A block and its pointers. */
static void get_ranges(struct sn_decoder *d, struct sn_trace_event *ev)
{
    uint64_t n = get_number(d), last = 0;
    if (!room_for_ranges(d, n))
        return;
    for (uint64_t i = 0; i < n; i++) {
        last += sn_unzigzag(get_number(d));
        d->ranges[i] = (struct sn_trace_range){last, get_number(d)};
    }
    ev->nranges = (uint32_t)n;
    ev->ranges = d->ranges;
}

static void get_block(struct sn_decoder *d, struct sn_trace_event *ev)
{
    uint64_t block = d->model.block + sn_unzigzag(get_number(d)), size = get_number(d);
    uint64_t n = get_number(d), offset = 0;
    if (n > (uint64_t)(d->end - d->at)) /* a pointer is a byte at least */
        fail(d, "more pointers than the block has bytes for");
    if (d->why || !grow_ranges(d, n + 1))
        return;
    d->ranges[0] = (struct sn_trace_range){block, size};
    for (uint64_t i = 1; i <= n; i++) {
        uint64_t head = get_number(d);
        uint64_t value = sn_model_pointer(&d->model, block, offset += head >> 1);
        d->ranges[i] =
            (struct sn_trace_range){offset, head & 1 ? value : value + sn_unzigzag(get_number(d))};
    }
    ev->nranges = (uint32_t)(n + 1);
    ev->ranges = d->ranges;
    if (!d->why)
        sn_model_block(&d->model, ev);
}

static void get_module(struct sn_decoder *d, struct sn_table_item *item)
{
    struct sn_trace_module *m = &item->module;
    item->number = get_number32(d);
    m->build_id_bytes = get_number32(d);
    if (m->build_id_bytes > sizeof m->build_id)
        fail(d, "a build id has more than 32 bytes");
    const uint8_t *id = get_bytes(d, m->build_id_bytes);
    if (!d->why)
        memcpy(m->build_id, id, m->build_id_bytes);
    m->base = get_number(d);
    m->start = get_number(d);
    m->end = get_number(d);
    get_text(d, item);
}

static int get_table(struct sn_decoder *d, struct sn_trace_event *ev, struct sn_table_item *item)
{
    memset(item, 0, sizeof *item);
    item->kind = (enum sn_table_record)get_byte(d);
    switch (item->kind) {
    case SN_TABLE_OPS:
        get_ops(d);
        break;
    case SN_TABLE_SITE:
        item->number = get_number32(d);
        item->site.parent = get_number32(d);
        item->site.module = get_number32(d) - 1;
        item->site.offset = get_number(d);
        get_text(d, item);
        break;
    case SN_TABLE_MODULE:
        get_module(d, item);
        break;
    case SN_TABLE_NAME:
        item->name.addr = get_number(d);
        item->name.size = get_number(d);
        get_text(d, item);
        break;
    case SN_TABLE_NODE:
        memset(ev, 0, sizeof *ev);
        get_ranges(d, ev);
        if (ev->nranges == 0)
            fail(d, "a block of the object graph has no address");
        return SN_DECODED_EVENT;
    case SN_TABLE_BLOCK:
        memset(ev, 0, sizeof *ev);
        get_block(d, ev);
        return SN_DECODED_EVENT;
    default:
        fail(d, "unknown kind of table record");
    }
    return SN_DECODED_TABLE;
}

static uint64_t get_addr(struct sn_decoder *d, unsigned shape, uint64_t by_site, uint64_t by_thread)
{
    switch (shape) {
    case SN_ADDR_SAME:
        return by_site;
    case SN_ADDR_BY_SITE:
        return by_site + sn_unzigzag(get_number(d));
    case SN_ADDR_BY_THREAD:
        return by_thread + sn_unzigzag(get_number(d));
    default:
        return 0;
    }
}

static uint64_t get_value(struct sn_decoder *d, unsigned shape, uint64_t by_site, uint64_t by_word)
{
    uint64_t whole = 0;
    switch (shape) {
    case SN_VALUE_MEMORY:
        return by_word;
    case SN_VALUE_BY_SITE:
        return by_site + sn_unzigzag(get_number(d));
    case SN_VALUE_BY_MEMORY:
        return by_word + sn_unzigzag(get_number(d));
    case SN_VALUE_WHOLE:
        for (unsigned i = 0; i < 64; i += 8)
            whole |= (uint64_t)get_byte(d) << i;
        return whole;
    case SN_VALUE_UNKNOWN:
    case SN_VALUE_ZERO:
        return 0;
    default:
        fail(d, "a value of unknown shape");
        return 0;
    }
}

static void get_fields(struct sn_decoder *d, struct sn_trace_event *ev)
{
    struct sn_trace_model *m = &d->model;
    unsigned shape = get_byte(d), t = ev->thread % SN_MODEL_THREADS;
    unsigned site_shape = shape >> SN_SITE_SHIFT & 3;
    if (site_shape > SN_SITE_GIVEN)
        fail(d, "a site of unknown shape");
    ev->site =
        site_shape == SN_SITE_GIVEN ? get_number32(d) : sn_model_site(m, ev->thread, ev->ev.op);
    unsigned s = ev->site % SN_MODEL_SITES, value = shape >> SN_VALUE_SHIFT & 7;
    ev->ev.addr = get_addr(d, shape >> SN_ADDR_SHIFT & 3, m->site[s].addr, m->last[t].addr);
    ev->ev.size = shape >> SN_SIZE_SHIFT & 1 ? get_number(d) : m->site[s].size;
    uint64_t by_word = sn_model_value_at(m, ev->ev.addr);
    ev->ev.value = get_value(d, value, m->site[s].value, by_word);
    if (value == SN_VALUE_UNKNOWN)
        return;
    ev->flags |= SN_TRACE_VALUE;
    if (ev->ev.op == SN_EV_ATOMIC_RMW)
        ev->old = by_word + sn_unzigzag(get_number(d));
}

static int get_event(struct sn_decoder *d, struct sn_trace_event *ev, uint8_t tag)
{
    memset(ev, 0, sizeof *ev);
    ev->ev.op = d->op[tag & SN_TAG_OP];
    if (ev->ev.op == SN_EV_NONE)
        fail(d, "an operation that this snag does not know, or that the trace did not name");
    ev->thread = tag & SN_TAG_THREAD ? get_number32(d) : d->model.thread;
    if (tag & SN_TAG_EXTRA) {
        uint32_t extra = get_number32(d);
        ev->ev.flags = (uint8_t)extra;
        ev->ev.order = extra >> 8 & 0xff;
    }
    get_fields(d, ev);
    bool same = ev->ev.op == SN_EV_LEAVE_CODE && get_reach(d, ev);
    ev->ev.pc = ev->site;
    sn_model_learn(&d->model, ev, ev->flags & SN_TRACE_VALUE);
    if (ev->ev.op == SN_EV_LEAVE_CODE && !d->why)
        sn_model_call(&d->model, ev, same);
    return SN_DECODED_EVENT;
}

static int get_again(struct sn_decoder *d, struct sn_trace_event *ev)
{
    uint32_t site = sn_model_site(&d->model, d->model.thread, SN_EV_LEAVE_CODE);
    const struct sn_model_call *call = &d->model.call[site % SN_MODEL_CALLS];
    unsigned s = site % SN_MODEL_SITES;
    if (!call->n)
        fail(d, "the ranges of a call are said to be those of another one that has none");
    *ev = (struct sn_trace_event){.ev = {.op = SN_EV_LEAVE_CODE,
                                         .value = d->model.site[s].value,
                                         .size = d->model.site[s].size,
                                         .pc = site},
                                  .thread = d->model.thread,
                                  .site = site,
                                  .flags = SN_TRACE_VALUE | call->flags,
                                  .nranges = call->n,
                                  .ranges = call->range};
    sn_model_learn(&d->model, ev, 1);
    sn_model_call(&d->model, ev, 1);
    return SN_DECODED_EVENT;
}

static int get_back(struct sn_decoder *d, struct sn_trace_event *ev)
{
    unsigned t = d->model.thread % SN_MODEL_THREADS;
    if (!d->model.last[t].callee)
        fail(d, "the end of a call that did not begin");
    *ev = (struct sn_trace_event){.ev = {.op = SN_EV_ENTER_CODE,
                                         .value = d->model.last[t].callee,
                                         .pc = d->model.last[t].site},
                                  .thread = d->model.thread,
                                  .site = d->model.last[t].site,
                                  .flags = SN_TRACE_VALUE};
    return SN_DECODED_EVENT;
}

void sn_decode_begin(struct sn_decoder *d, const void *payload, size_t bytes)
{
    d->start = d->at = payload;
    d->end = d->start + bytes;
    d->why = NULL;
    memset(&d->model, 0, sizeof d->model);
}

int sn_decode_next(struct sn_decoder *d, struct sn_trace_event *ev, struct sn_table_item *item)
{
    if (d->at == d->end)
        return SN_DECODED_END;
    const uint8_t *record = d->at;
    uint8_t tag = get_byte(d);
    int r = tag == 0              ? get_table(d, ev, item)
            : tag == SN_TAG_BACK  ? get_back(d, ev)
            : tag == SN_TAG_AGAIN ? get_again(d, ev)
                                  : get_event(d, ev, tag);
    if (!d->why)
        return r;
    d->at = record;
    return -EBADMSG;
}

void sn_decode_free(struct sn_decoder *d)
{
    free(d->ranges);
    d->ranges = NULL;
    d->cap_ranges = 0;
}
