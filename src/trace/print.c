/* print.c: writes the text form; what it prints, text.c reads back. */
#include "trace/text.h"

#include <inttypes.h>
#include <string.h>

char *sn_trace_print_addr(const struct sn_trace *t, uint64_t addr, char *buf, size_t n)
{
    const struct sn_trace_name *name = sn_trace_name_at(t, addr);
    if (!name)
        snprintf(buf, n, "0x%" PRIx64, addr);
    else if (addr == name->addr)
        snprintf(buf, n, "%s", name->name);
    else
        snprintf(buf, n, "%s+%" PRIu64, name->name, addr - name->addr);
    return buf;
}

char *sn_trace_print_module(const char *path, char *buf, size_t n)
{
    const char *slash = strrchr(path, '/');
    snprintf(buf, n, "%s", slash ? slash + 1 : path);
    for (char *p = buf; *p; p++)
        if (strchr(" \t<", *p))
            *p = '_';
    return buf;
}

static int print_frame(const struct sn_trace *t, const struct sn_trace_site *s, char *buf, size_t n)
{
    const struct sn_trace_module *m = sn_trace_module(t, s->module);
    if (s->where)
        return snprintf(buf, n, "%s", s->where);
    char word[256];
    return snprintf(buf, n, "%s+0x%" PRIx64,
                    sn_trace_print_module(m ? m->path : "unknown", word, sizeof word), s->offset);
}

char *sn_trace_print_site(const struct sn_trace *t, uint32_t site, bool callers, char *buf,
                          size_t n)
{
    const struct sn_trace_site *s = sn_trace_site(t, site);
    size_t used = 0;
    buf[0] = '\0';
    while (s && used + 1 < n) {
        int bytes = print_frame(t, s, buf + used, n - used);
        used += bytes > 0 ? (size_t)bytes : 0;
        s = callers ? sn_trace_site(t, s->parent) : NULL;
        if (s && used + 2 < n) {
            buf[used++] = '<';
            buf[used] = '\0';
        }
    }
    return buf;
}

static void print_ranges(FILE *out, const struct sn_trace *t, const struct sn_trace_event *ev)
{
    char name[256];
    for (uint32_t i = 0; i < ev->nranges; i++)
        fprintf(out, "%s%s:%" PRIu64,
                i                            ? ","
                : ev->flags & SN_TRACE_ROOTS ? " R="
                                             : " D=",
                sn_trace_print_addr(t, ev->ranges[i].addr, name, sizeof name), ev->ranges[i].size);
}

static void print_block(FILE *out, const struct sn_trace *t, const struct sn_trace_event *ev)
{
    char name[256];
    fprintf(out, "block %s %" PRIu64, sn_trace_print_addr(t, ev->ranges[0].addr, name, sizeof name),
            ev->ranges[0].size);
    for (uint32_t i = 1; i < ev->nranges; i++)
        fprintf(out, " +%" PRIu64 "->%s", ev->ranges[i].addr,
                sn_trace_print_addr(t, ev->ranges[i].size, name, sizeof name));
    fputc('\n', out);
}

/* The thread object is only said when it is not the one that the text form makes up. */
static void print_thread_object(FILE *out, const struct sn_trace *t,
                                const struct sn_trace_event *ev, uint64_t thread)
{
    char want[32], have[256];
    snprintf(want, sizeof want, "T%" PRIu64, thread);
    if (strcmp(want, sn_trace_print_addr(t, ev->ev.addr, have, sizeof have)) != 0)
        fprintf(out, " obj=%s", have);
}

static void print_operand(FILE *out, const struct sn_trace *t, const struct sn_trace_event *ev)
{
    char name[256];
    switch (ev->ev.op) {
    case SN_EV_CREATE:
    case SN_EV_JOIN:
    case SN_EV_DETACH:
    case SN_EV_CANCEL:
        fprintf(out, " T%" PRIu64, ev->ev.value);
        print_thread_object(out, t, ev, ev->ev.value);
        break;
    case SN_EV_START:
        fprintf(out, " T%" PRIu64, ev->ev.value);
        print_thread_object(out, t, ev, ev->thread);
        break;
    case SN_EV_END:
        print_thread_object(out, t, ev, ev->thread);
        break;
    case SN_EV_LEAVE_CODE:
    case SN_EV_ENTER_CODE:
        fprintf(out, " %s", sn_trace_print_addr(t, ev->ev.value, name, sizeof name));
        break;
    case SN_EV_FENCE:
    case SN_EV_YIELD:
        break;
    default:
        if (ev->ev.addr)
            fprintf(out, " %s", sn_trace_print_addr(t, ev->ev.addr, name, sizeof name));
    }
}

static void print_flags(FILE *out, const struct sn_trace *t, const struct sn_trace_event *ev)
{
    char name[256];
    bool atomic =
        (sn_trace_is_access(ev->ev.op) && ev->ev.op != SN_EV_READ && ev->ev.op != SN_EV_WRITE) ||
        ev->ev.op == SN_EV_FENCE;
    for (const struct sn_text_word *w = sn_text_flags; w->word; w++)
        if (ev->ev.flags & w->value && w->value != SN_EF_COND)
            fprintf(out, " %s", w->word);
    if (ev->ev.flags & SN_EF_COND && ev->ev.value)
        fprintf(out, " cond=%s", sn_trace_print_addr(t, ev->ev.value, name, sizeof name));
    else if (ev->ev.flags & SN_EF_COND)
        fprintf(out, " cond");
    if (atomic && ev->ev.order <= SN_SEQ_CST)
        fprintf(out, " %s", sn_text_orders[ev->ev.order].word);
}

static void print_value(FILE *out, const struct sn_trace_event *ev)
{
    bool access = sn_trace_is_access(ev->ev.op);
    bool plain = ev->ev.op == SN_EV_CALL || ev->ev.op == SN_EV_RETURN ||
                 ev->ev.op == SN_EV_SLEEP || ev->ev.op == SN_EV_IGNORE || ev->ev.op == SN_EV_WATCH;
    if (!(ev->flags & SN_TRACE_VALUE) || !(access || plain))
        return;
    fprintf(out, " =");
    if (ev->ev.op == SN_EV_ATOMIC_RMW)
        fprintf(out, "%" PRIu64 "->", ev->old);
    fprintf(out, "%" PRIu64, ev->ev.value);
}

void sn_trace_print_event(FILE *out, const struct sn_trace *t, const struct sn_trace_event *ev)
{
    char site[1024];
    if (ev->ev.op == SN_EV_NONE) {
        print_block(out, t, ev);
        return;
    }
    fprintf(out, "T%u %s", ev->thread, sn_event_name(ev->ev.op));
    print_operand(out, t, ev);
    if (ev->ev.size)
        fprintf(out, " %" PRIu64, ev->ev.size);
    print_flags(out, t, ev);
    print_value(out, ev);
    print_ranges(out, t, ev);
    if (ev->site)
        fprintf(out, " @%s", sn_trace_print_site(t, ev->site, true, site, sizeof site));
    fputc('\n', out);
}

void sn_trace_print_tables(FILE *out, const struct sn_trace *t)
{
    for (uint32_t i = 0; i < sn_trace_modules(t); i++) {
        const struct sn_trace_module *m = sn_trace_module(t, i);
        fprintf(out, "module %u base=0x%" PRIx64 " start=0x%" PRIx64 " end=0x%" PRIx64, i, m->base,
                m->start, m->end);
        if (m->build_id_bytes)
            fprintf(out, " build=");
        for (uint32_t b = 0; b < m->build_id_bytes; b++)
            fprintf(out, "%02x", m->build_id[b]);
        fprintf(out, " %s\n", m->path);
    }
    for (uint32_t i = 0; i < sn_trace_names(t); i++) {
        const struct sn_trace_name *n = sn_trace_name(t, i);
        fprintf(out, "name %s 0x%" PRIx64 " %" PRIu64 "\n", n->name, n->addr, n->size);
    }
}
