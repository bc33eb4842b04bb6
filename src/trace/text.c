/*
 * text.c: reads the text form, a line at a time. Names and sites are interned in a small hash table
 * of strings; a name that has no `name` line gets the next page of a made-up address space.
 */
#include "trace/text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/form.h"

#define FIRST_ADDRESS 0x100000u
#define NAME_BYTES 0x1000u
#define MAX_RANGES 4096

const struct sn_text_word sn_text_flags[] = {
    {"try", SN_EF_TRY},
    {"timed", SN_EF_TIMED},
    {"owner-died", SN_EF_OWNER_DIED},
    {"spin", SN_EF_SPIN},
    {"cond", SN_EF_COND},
    {"part", SN_EF_PART},
    {"handler", SN_EF_HANDLER},
    {NULL, 0},
};

const struct sn_text_word sn_text_orders[] = {
    {"relaxed", SN_RELAXED},
    {"consume", SN_CONSUME},
    {"acquire", SN_ACQUIRE},
    {"release", SN_RELEASE},
    {"acq_rel", SN_ACQ_REL},
    {"seq_cst", SN_SEQ_CST},
    {NULL, 0},
};

/* string -> number; open addressing, never more than half full */
struct intern {
    struct {
        char *key;
        uint64_t value;
    } * slot;
    size_t n, cap;
};

struct sn_text_reader {
    unsigned long line;
    char *text;
    size_t text_cap;
    uint64_t next_addr;
    struct intern names, sites; /* name -> address; site text -> number */
    struct sn_trace_range range[MAX_RANGES];
    uint32_t nranges;
};

static size_t slot_of(const struct intern *in, const char *key)
{
    uint64_t h = 1469598103934665603ull;
    for (const char *p = key; *p; p++)
        h = (h ^ (uint8_t)*p) * 1099511628211ull;
    size_t i = h & (in->cap - 1);
    while (in->slot[i].key && strcmp(in->slot[i].key, key) != 0)
        i = (i + 1) & (in->cap - 1);
    return i;
}

static int intern_grow(struct intern *in)
{
    struct intern old = *in;
    if (in->n * 2 < in->cap)
        return 0;
    in->cap = old.cap ? old.cap * 2 : 64;
    in->slot = calloc(in->cap, sizeof *in->slot);
    if (!in->slot) {
        *in = old;
        return -ENOMEM;
    }
    for (size_t i = 0; i < old.cap; i++)
        if (old.slot[i].key)
            in->slot[slot_of(in, old.slot[i].key)] = old.slot[i];
    free(old.slot);
    return 0;
}

static bool intern_find(const struct intern *in, const char *key, uint64_t *value)
{
    if (in->cap == 0)
        return false;
    size_t i = slot_of(in, key);
    if (in->slot[i].key)
        *value = in->slot[i].value;
    return in->slot[i].key != NULL;
}

static int intern_set(struct intern *in, const char *key, uint64_t value)
{
    if (intern_grow(in))
        return -ENOMEM;
    size_t i = slot_of(in, key);
    if (!in->slot[i].key) {
        in->slot[i].key = strdup(key);
        if (!in->slot[i].key)
            return -ENOMEM;
        in->n++;
    }
    in->slot[i].value = value;
    return 0;
}

static void intern_free(struct intern *in)
{
    for (size_t i = 0; i < in->cap; i++)
        free(in->slot[i].key);
    free(in->slot);
}

struct sn_text_reader *sn_text_reader_new(void)
{
    struct sn_text_reader *r = calloc(1, sizeof *r);
    if (r)
        r->next_addr = FIRST_ADDRESS;
    return r;
}

void sn_text_reader_free(struct sn_text_reader *r)
{
    if (!r)
        return;
    intern_free(&r->names);
    intern_free(&r->sites);
    free(r->text);
    free(r);
}

static int bad(struct sn_trace *t, const char *what, const char *word)
{
    return sn_trace_fail(t, "line %lu: %s `%.80s`", t->text->line, what, word);
}

static bool parse_number(const char *s, uint64_t *v)
{
    char *end;
    errno = 0;
    if (!isdigit((unsigned char)s[*s == '-']))
        return false;
    *v = *s == '-' ? (uint64_t)strtoll(s, &end, 0) : strtoull(s, &end, 0);
    return *end == '\0' && errno == 0;
}

static bool is_name(const char *s)
{
    if (!isalpha((unsigned char)*s) && *s != '_')
        return false;
    for (; *s; s++)
        if (!isalnum((unsigned char)*s) && !strchr("_.[]-", *s))
            return false;
    return true;
}

static int new_name(struct sn_trace *t, const char *name, uint64_t addr, uint64_t size)
{
    if (intern_set(&t->text->names, name, addr) ||
        sn_tables_name(&t->tables, addr, size, name, strlen(name)))
        return sn_trace_fail(t, "out of memory");
    return 0;
}

static int name_addr(struct sn_trace *t, const char *name, uint64_t *addr)
{
    struct sn_text_reader *r = t->text;
    if (!is_name(name))
        return bad(t, "not an object:", name);
    if (intern_find(&r->names, name, addr))
        return 0;
    *addr = r->next_addr;
    r->next_addr += NAME_BYTES;
    return new_name(t, name, *addr, NAME_BYTES);
}

/* name, name+offset or 0xADDRESS; *size is what is left of the object. Changes `s`. */
static int parse_object(struct sn_trace *t, char *s, uint64_t *addr, uint64_t *size)
{
    uint64_t offset = 0;
    *size = 8;
    if (strncmp(s, "0x", 2) == 0)
        return parse_number(s, addr) ? 0 : bad(t, "not an address:", s);
    char *plus = strchr(s, '+');
    if (plus) {
        if (!parse_number(plus + 1, &offset))
            return bad(t, "not an offset:", plus + 1);
        *plus = '\0';
    }
    int r = name_addr(t, s, addr);
    if (r)
        return r;
    const struct sn_trace_name *n = sn_trace_name_at(t, *addr);
    *addr += offset;
    *size = n && offset < n->size ? n->size - offset : 8;
    return 0;
}

static int parse_thread(struct sn_trace *t, const char *s, uint64_t *thread)
{
    if (*s == 'T' && isdigit((unsigned char)s[1]) && parse_number(s + 1, thread) &&
        *thread <= UINT32_MAX)
        return 0;
    return bad(t, "not a thread:", s);
}

/* "prog+0x12" when a module of that name is in the table. */
static bool module_site(const struct sn_trace *t, const char *where, struct sn_trace_site *s)
{
    const char *plus = strrchr(where, '+');
    if (!plus || strncmp(plus, "+0x", 3) != 0 || !parse_number(plus + 1, &s->offset))
        return false;
    for (uint32_t m = 0; m < t->tables.nmodules; m++) {
        char word[256];
        sn_trace_print_module(t->tables.module[m].path, word, sizeof word);
        if (strlen(word) == (size_t)(plus - where) && strncmp(word, where, strlen(word)) == 0) {
            s->module = m;
            return true;
        }
    }
    s->offset = 0;
    return false;
}

/* The leaf first, callers after `<`: the outermost is interned first. */
static int parse_site(struct sn_trace *t, const char *text, uint32_t *site)
{
    uint64_t known;
    if (intern_find(&t->text->sites, text, &known)) {
        *site = (uint32_t)known;
        return 0;
    }
    struct sn_trace_site s = {.module = SN_TRACE_NO_MODULE};
    size_t length = strcspn(text, "<");
    if (length == 0)
        return bad(t, "empty site in", text);
    if (text[length] == '<') {
        int r = parse_site(t, text + length + 1, &s.parent);
        if (r)
            return r;
    }
    char where[256];
    snprintf(where, sizeof where, "%.*s", (int)length, text);
    bool in_module = module_site(t, where, &s);
    *site = t->tables.nsites + 1;
    if (sn_tables_site(&t->tables, *site, &s, where, in_module ? 0 : strlen(where)) ||
        intern_set(&t->text->sites, text, *site))
        return sn_trace_fail(t, "out of memory");
    return 0;
}

static int add_range(struct sn_trace *t, uint64_t addr, uint64_t size)
{
    struct sn_text_reader *r = t->text;
    if (r->nranges == MAX_RANGES)
        return sn_trace_fail(t, "line %lu: more than %d ranges", r->line, MAX_RANGES);
    r->range[r->nranges++] = (struct sn_trace_range){addr, size};
    return 0;
}

/* x,y+8:16,T2 */
static int parse_ranges(struct sn_trace *t, char *list)
{
    char *save, *one = strtok_r(list, ",", &save);
    for (; one; one = strtok_r(NULL, ",", &save)) {
        uint64_t addr, size, given;
        char *colon = strchr(one, ':');
        if (colon) {
            *colon = '\0';
            if (!parse_number(colon + 1, &given))
                return bad(t, "not a size:", colon + 1);
        }
        int r = parse_object(t, one, &addr, &size);
        if (r == 0)
            r = add_range(t, addr, colon ? given : size);
        if (r)
            return r;
    }
    return 0;
}

/* 5, 0x10, -1, or &x: the address of x. Changes `s`. */
static int parse_number_or_address(struct sn_trace *t, char *s, uint64_t *v)
{
    uint64_t size;
    if (*s == '&')
        return parse_object(t, s + 1, v, &size);
    return parse_number(s, v) ? 0 : bad(t, "not a value:", s);
}

/* =5 or =1->2 */
static int parse_value(struct sn_trace *t, char *s, struct sn_trace_event *ev)
{
    char *arrow = strstr(s, "->");
    bool rmw = ev->ev.op == SN_EV_ATOMIC_RMW;
    if (rmw != (arrow != NULL))
        return bad(t, rmw ? "atomic-rmw needs =OLD->NEW, not" : "not a value:", s);
    int r = 0;
    if (arrow) {
        *arrow = '\0';
        r = parse_number_or_address(t, s, &ev->old);
        s = arrow + 2;
    }
    if (r == 0)
        r = parse_number_or_address(t, s, &ev->ev.value);
    ev->flags |= SN_TRACE_VALUE;
    return r;
}

static bool find_word(const struct sn_text_word *list, const char *word, unsigned *value)
{
    for (; list->word; list++)
        if (strcmp(list->word, word) == 0) {
            *value = list->value;
            return true;
        }
    return false;
}

static int parse_key(struct sn_trace *t, char *word, struct sn_trace_event *ev)
{
    uint64_t addr, size;
    unsigned v;
    if (strncmp(word, "cond=", 5) == 0) {
        ev->ev.flags |= SN_EF_COND;
        int r = parse_object(t, word + 5, &addr, &size);
        ev->ev.value = r ? 0 : addr;
        return r;
    }
    if (strncmp(word, "obj=", 4) == 0) {
        int r = parse_object(t, word + 4, &addr, &size);
        ev->ev.addr = r ? 0 : addr;
        return r;
    }
    if (strncmp(word, "R=", 2) == 0)
        ev->flags |= SN_TRACE_ROOTS;
    if (strncmp(word, "R=", 2) == 0 || strncmp(word, "D=", 2) == 0)
        return ev->ev.op == SN_EV_LEAVE_CODE ? parse_ranges(t, word + 2)
                                             : bad(t, "only leave-code has", word);
    if (find_word(sn_text_flags, word, &v))
        ev->ev.flags |= (uint8_t)v;
    else if (find_word(sn_text_orders, word, &v))
        ev->ev.order = (uint8_t)v;
    else
        return bad(t, "unknown word", word);
    return 0;
}

static int thread_object(struct sn_trace *t, uint64_t thread, struct sn_trace_event *ev)
{
    char name[32];
    uint64_t addr;
    snprintf(name, sizeof name, "T%u", (unsigned)thread);
    int r = name_addr(t, name, &addr);
    ev->ev.addr = r ? 0 : addr;
    return r;
}

static bool names_thread(enum sn_event_op op)
{
    return op == SN_EV_CREATE || op == SN_EV_START || op == SN_EV_JOIN || op == SN_EV_DETACH ||
           op == SN_EV_CANCEL;
}

static int parse_operand(struct sn_trace *t, char *word, struct sn_trace_event *ev)
{
    uint64_t v, size;
    int r;
    if (names_thread(ev->ev.op)) {
        r = parse_thread(t, word, &v);
        ev->ev.value = r ? 0 : v;
        return r || ev->ev.op == SN_EV_START ? r : thread_object(t, v, ev);
    }
    r = parse_object(t, word, &v, &size);
    if (r)
        return r;
    if (ev->ev.op == SN_EV_LEAVE_CODE || ev->ev.op == SN_EV_ENTER_CODE)
        ev->ev.value = v;
    else
        ev->ev.addr = v;
    return 0;
}

static bool needs_operand(enum sn_event_op op)
{
    return op != SN_EV_END && op != SN_EV_FENCE && op != SN_EV_YIELD && op != SN_EV_START &&
           op != SN_EV_ENTER_CODE && op != SN_EV_BLOCK && op != SN_EV_UNBLOCK &&
           op != SN_EV_SLEEP && op != SN_EV_CLOCK && op != SN_EV_TIMER && op != SN_EV_IGNORE &&
           op != SN_EV_WATCH;
}

static bool may_have_operand(enum sn_event_op op)
{
    return needs_operand(op) || op == SN_EV_START || op == SN_EV_ENTER_CODE ||
           op == SN_EV_IGNORE || op == SN_EV_WATCH;
}

static int parse_words(struct sn_trace *t, char **save, struct sn_trace_event *ev)
{
    bool operand = false;
    for (char *w = strtok_r(NULL, " \t", save); w; w = strtok_r(NULL, " \t", save)) {
        uint64_t size;
        int r = 0;
        if (*w == '@')
            r = parse_site(t, w + 1, &ev->site);
        else if (*w == '=')
            r = parse_value(t, w + 1, ev);
        else if (isdigit((unsigned char)*w) && strncmp(w, "0x", 2) != 0 && parse_number(w, &size))
            ev->ev.size = size;
        else if (!operand && may_have_operand(ev->ev.op)) {
            r = parse_operand(t, w, ev);
            operand = true;
        } else
            r = parse_key(t, w, ev);
        if (r)
            return r;
    }
    if (!operand && needs_operand(ev->ev.op))
        return bad(t, "what does it work on:", sn_event_name(ev->ev.op));
    return 0;
}

static int parse_event(struct sn_trace *t, char *first, char **save, struct sn_trace_event *ev)
{
    uint64_t thread;
    int r = parse_thread(t, first, &thread);
    if (r)
        return r;
    char *name = strtok_r(NULL, " \t", save);
    enum sn_event_op op = name ? sn_event_by_name(name) : SN_EV_NONE;
    if (op == SN_EV_NONE)
        return bad(t, "unknown operation", name ? name : "");
    memset(ev, 0, sizeof *ev);
    ev->ev.op = (uint8_t)op;
    ev->thread = (uint32_t)thread;
    if (sn_trace_is_access(op))
        ev->ev.size = 4;
    else
        ev->flags = SN_TRACE_VALUE;
    if (op == SN_EV_START || op == SN_EV_END)
        r = thread_object(t, thread, ev);
    if (r == 0)
        r = parse_words(t, save, ev);
    ev->ev.pc = ev->site;
    ev->ranges = t->text->range;
    ev->nranges = t->text->nranges;
    return r ? r : 1;
}

/* block q 32 +8->x +16->y */
static int parse_block(struct sn_trace *t, char **save, struct sn_trace_event *ev)
{
    char *object = strtok_r(NULL, " \t", save), *length = strtok_r(NULL, " \t", save);
    uint64_t addr, size, offset, target, rest;
    if (!object || !length || !parse_number(length, &size))
        return bad(t, "needs an object and a size:", "block");
    int r = parse_object(t, object, &addr, &rest);
    if (r == 0)
        r = add_range(t, addr, size);
    for (char *w = strtok_r(NULL, " \t", save); w && r == 0; w = strtok_r(NULL, " \t", save)) {
        char *arrow = strstr(w, "->");
        if (*w != '+' || !arrow)
            return bad(t, "not a pointer in a block:", w);
        *arrow = '\0';
        if (!parse_number(w + 1, &offset))
            return bad(t, "not an offset:", w + 1);
        r = parse_object(t, arrow + 2, &target, &rest);
        if (r == 0)
            r = add_range(t, offset, target);
    }
    memset(ev, 0, sizeof *ev);
    ev->ranges = t->text->range;
    ev->nranges = t->text->nranges;
    return r ? r : 1;
}

static int parse_name(struct sn_trace *t, char **save)
{
    char *name = strtok_r(NULL, " \t", save), *at = strtok_r(NULL, " \t", save);
    char *length = strtok_r(NULL, " \t", save);
    uint64_t addr, size, old;
    if (!name || !is_name(name) || !at || !length || !parse_number(at, &addr) ||
        !parse_number(length, &size))
        return bad(t, "needs a name, an address and a size:", "name");
    if (intern_find(&t->text->names, name, &old))
        return bad(t, "name already has an address:", name);
    return new_name(t, name, addr, size);
}

static bool parse_build_id(const char *hex, struct sn_trace_module *m)
{
    size_t n = strlen(hex) / 2;
    if (n > sizeof m->build_id || strlen(hex) % 2)
        return false;
    m->build_id_bytes = (uint32_t)n;
    for (size_t i = 0; i < n; i++)
        if (sscanf(hex + 2 * i, "%2hhx", &m->build_id[i]) != 1)
            return false;
    return true;
}

static int parse_module(struct sn_trace *t, char **save)
{
    struct sn_trace_module m = {0};
    uint64_t number = UINT64_MAX;
    char build[65] = "", *w = strtok_r(NULL, " \t", save);
    bool good = w && parse_number(w, &number);
    while (good && **save && **save != '/') {
        w = strtok_r(NULL, " \t", save);
        good = w && (sscanf(w, "base=%" SCNx64, &m.base) == 1 ||
                     sscanf(w, "start=%" SCNx64, &m.start) == 1 ||
                     sscanf(w, "end=%" SCNx64, &m.end) == 1 ||
                     sscanf(w, "build=%64[0-9a-f]", build) == 1);
    }
    if (!good || !parse_build_id(build, &m) || number != t->tables.nmodules)
        return bad(t, "not understood:", "module");
    if (sn_tables_module(&t->tables, (uint32_t)number, &m, *save, strlen(*save)))
        return sn_trace_fail(t, "out of memory");
    return 0;
}

/* 1: an event; 0: a line without one. */
static int parse_line(struct sn_trace *t, char *line, struct sn_trace_event *ev)
{
    char *save = line + strlen(line);
    while (save > line && isspace((unsigned char)save[-1]))
        *--save = '\0';
    line += strspn(line, " \t");
    if (strncmp(line, "# expect", 8) == 0)
        return sn_tables_expect(&t->tables, line + 2) ? sn_trace_fail(t, "out of memory") : 0;
    if (*line == '#' || *line == '\0')
        return 0;
    t->text->nranges = 0;
    char *first = strtok_r(line, " \t", &save);
    if (strcmp(first, "block") == 0)
        return parse_block(t, &save, ev);
    if (strcmp(first, "name") == 0)
        return parse_name(t, &save);
    if (strcmp(first, "module") == 0)
        return parse_module(t, &save);
    return parse_event(t, first, &save, ev);
}

int sn_text_reader_next(struct sn_trace *t, struct sn_trace_event *ev)
{
    struct sn_text_reader *r = t->text;
    ssize_t n;
    while ((n = getline(&r->text, &r->text_cap, t->in)) >= 0) {
        r->line++;
        if (memchr(r->text, 0, (size_t)n))
            return bad(t, "zero byte after", r->text);
        int got = parse_line(t, r->text, ev);
        if (got)
            return got;
    }
    return ferror(t->in) ? sn_trace_fail(t, "after line %lu: it cannot be read", r->line) : 0;
}
