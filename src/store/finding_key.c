/*
 * finding_key.c: what makes two findings the same, and what a finding is called.
 *
 * A key is the kind and the sorted keys of the sites. A site's key is made of what survives a
 * rebuild of unrelated code, address randomisation and another order of threads: function, base
 * name of the file, line, column. Without debug information it is module and offset. Calls add the
 * callee, misuse its words. For deadlocks and lock orders the sites are a set (five philosophers at
 * one line are one place), and the locks' names are added where they are names of variables: many
 * programs lock through one wrapper function, which would be every site's place. Array indices are
 * dropped from names: accounts[3].lock and accounts[7].lock are one kind of lock.
 */
#include "store/finding.h"

#include <ctype.h>
#include <string.h>

#include "store/xalloc.h"

static bool is_cycle(const struct sn_finding *f)
{
    return f->kind == SN_KIND_DEADLOCK || f->kind == SN_KIND_LOCK_ORDER;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* "a[12].b" becomes "a[].b". */
static char *without_indices(const char *name)
{
    char *out = sn_xstrdup(name), *to = out;
    for (const char *p = name; *p;) {
        *to++ = *p;
        if (*p++ != '[')
            continue;
        const char *digit = p;
        while (isdigit((unsigned char)*digit))
            digit++;
        if (*digit == ']')
            p = digit;
    }
    *to = '\0';
    return out;
}

/* A number in place of a name changes from run to run. */
static bool is_stable_name(const char *name)
{
    return name && !strchr(name, '#');
}

static bool holds(const struct sn_site *s, const char *name)
{
    for (size_t i = 0; i < s->nlocks; i++) {
        if (s->locks[i].name && !strcmp(s->locks[i].name, name))
            return true;
    }
    return false;
}

/* The lock that site i holds and the cycle waits for: by the order of the cycle it is what the site
 * before wants; else any wanted one; else the first held. */
static const char *cycle_from(const struct sn_finding *f, size_t i)
{
    const struct sn_site *s = &f->sites[i];
    for (size_t back = 1; back <= f->nsites; back++) {
        const char *wanted = f->sites[(i + f->nsites - back % f->nsites) % f->nsites].wants;
        if (wanted && holds(s, wanted))
            return wanted;
    }
    return s->nlocks ? s->locks[0].name : NULL;
}

static void put_place(FILE *out, const struct sn_frame *at)
{
    if (!at) {
        fputs("?", out);
        return;
    }
    fprintf(out, "%s@", at->function ? at->function : "?");
    if (at->file)
        fprintf(out, "%s:%d:%d", base_name(at->file), at->line, at->column);
    else if (at->module)
        fprintf(out, "%s+0x%llx", base_name(at->module), (unsigned long long)at->offset);
    else
        fputs("?", out);
}

static void put_lock_name(FILE *out, const char *name, const char *otherwise)
{
    char *plain = is_stable_name(name) ? without_indices(name) : NULL;
    fputs(plain ? plain : otherwise, out);
    free(plain);
}

static char *site_key(const struct sn_finding *f, size_t i)
{
    const struct sn_site *s = &f->sites[i];
    char *text;
    size_t bytes;
    FILE *out = sn_xcheck(open_memstream(&text, &bytes));
    put_place(out, sn_site_frame(s));
    if (s->op == SN_OP_CALL && s->call)
        fprintf(out, "!%s", s->call);
    if (is_cycle(f) && s->wants) {
        fputc('[', out);
        put_lock_name(out, cycle_from(f, i), "?");
        fputs("->", out);
        put_lock_name(out, s->wants, "?");
        fputc(']', out);
    }
    fclose(out);
    return text;
}

static int compare_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static char **site_keys(const struct sn_finding *f)
{
    char **keys = sn_xcalloc(f->nsites, sizeof *keys);
    for (size_t i = 0; i < f->nsites; i++)
        keys[i] = site_key(f, i);
    return keys;
}

static void free_keys(char **keys, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(keys[i]);
    free(keys);
}

char *sn_finding_key(const struct sn_finding *f)
{
    char **keys = site_keys(f), *text;
    size_t bytes;
    FILE *out = sn_xcheck(open_memstream(&text, &bytes));
    fputs(sn_kind_name(f->kind), out);
    if (f->kind == SN_KIND_MISUSE && f->text)
        fprintf(out, " \"%s\"", f->text);
    qsort(keys, f->nsites, sizeof *keys, compare_text);
    unsigned ordinal = 0;
    for (size_t i = 0; i < f->nsites; i++) {
        bool again = i && !strcmp(keys[i], keys[i - 1]);
        ordinal = again ? ordinal + 1 : 0;
        if (again && is_cycle(f))
            continue;
        fprintf(out, " %s", keys[i]);
        if (ordinal)
            fprintf(out, "#%u", ordinal);
    }
    fclose(out);
    free_keys(keys, f->nsites);
    return text;
}

/* "add()", or where it is when the function has no name. C++ names bring their own parentheses. */
static void put_function(FILE *out, const struct sn_site *s)
{
    const struct sn_frame *at = sn_site_frame(s);
    if (at && at->function)
        fprintf(out, "%s%s", at->function, strchr(at->function, '(') ? "" : "()");
    else if (at && at->file)
        fprintf(out, "%s:%d", base_name(at->file), at->line);
    else if (at && at->module)
        fprintf(out, "%s+0x%llx", base_name(at->module), (unsigned long long)at->offset);
    else
        fputs("unknown code", out);
}

static void put_actor(FILE *out, const struct sn_site *s)
{
    if (s->op == SN_OP_CALL && s->call)
        fprintf(out, "%s() in ", s->call);
    put_function(out, s);
}

static void put_object(FILE *out, const struct sn_object *o)
{
    if (o->kind == SN_OBJ_UNKNOWN)
        return;
    if (o->kind == SN_OBJ_HEAP) {
        const struct sn_frame *at = sn_stack_frame(&o->alloc);
        fputs(" on heap block", out);
        if (at && at->function)
            fprintf(out, " allocated in %s%s", at->function, strchr(at->function, '(') ? "" : "()");
        return;
    }
    if (!o->name)
        return;
    char *member = o->member ? without_indices(o->member) : NULL;
    fprintf(out, " on `%s%s%s`", o->name, member && member[0] != '[' ? "." : "",
            member ? member : "");
    free(member);
}

static char *actor_text(const struct sn_finding *f, size_t i)
{
    char *text;
    size_t bytes;
    FILE *out = sn_xcheck(open_memstream(&text, &bytes));
    put_actor(out, &f->sites[i]);
    fclose(out);
    return text;
}

/* What `text` says of each site, equal ones once; sites are in canonical order. Returns how many.
 */
static size_t distinct_texts(const struct sn_finding *f,
                             char *(*text)(const struct sn_finding *f, size_t i), char **out)
{
    size_t n = 0;
    for (size_t i = 0; i < f->nsites; i++) {
        char *one = text(f, i);
        size_t same = 0;
        while (same < n && strcmp(out[same], one))
            same++;
        if (same < n)
            free(one);
        else
            out[n++] = one;
    }
    return n;
}

static void put_actors(FILE *out, const struct sn_finding *f)
{
    char **names = sn_xcalloc(f->nsites, sizeof *names);
    size_t n = distinct_texts(f, actor_text, names);
    for (size_t i = 0; i < n; i++) {
        const char *joint = i == 0 ? (n > 1 ? " between " : " in ") : i + 1 < n ? ", " : " and ";
        fprintf(out, "%s%s", joint, names[i]);
    }
    free_keys(names, n);
}

#define CYCLE_SHOWN 3 /* edges in a title; a longer one is cut */

/* Whether naming the locks says anything: all are known, and some have a name. */
static bool has_lock_names(const struct sn_finding *f)
{
    bool some = false;
    for (size_t i = 0; i < f->nsites; i++) {
        if (!f->sites[i].wants)
            return false;
        some = some || is_stable_name(f->sites[i].wants);
    }
    return some;
}

/* "a -> b in f()" */
static char *edge_text(const struct sn_finding *f, size_t i)
{
    char *text;
    size_t bytes;
    FILE *out = sn_xcheck(open_memstream(&text, &bytes));
    put_lock_name(out, cycle_from(f, i), "a lock");
    fputs(" -> ", out);
    put_lock_name(out, f->sites[i].wants, "a lock");
    fputs(" in ", out);
    put_function(out, &f->sites[i]);
    fclose(out);
    return text;
}

static void put_cycle(FILE *out, const struct sn_finding *f)
{
    fputs(f->kind == SN_KIND_DEADLOCK ? "deadlock" : "lock-order inversion", out);
    if (!has_lock_names(f)) {
        put_actors(out, f);
        return;
    }
    char **edges = sn_xcalloc(f->nsites, sizeof *edges);
    size_t n = distinct_texts(f, edge_text, edges);
    for (size_t i = 0; i < n && i < CYCLE_SHOWN; i++)
        fprintf(out, "%s%s", i ? ", " : ": ", edges[i]);
    if (n > CYCLE_SHOWN)
        fprintf(out, " and %zu more", n - CYCLE_SHOWN);
    free_keys(edges, n);
}

static void put_misuse(FILE *out, const struct sn_finding *f)
{
    fputs(f->text ? f->text : "misuse", out);
    if (f->nsites && sn_site_frame(&f->sites[0])) {
        fputs(" in ", out);
        put_function(out, &f->sites[0]);
    }
}

/* A failure that a schedule brought about: the one site says how it ended. */
static const char *failure_words(const struct sn_finding *f)
{
    const char *call = f->kind == SN_KIND_ORDER && f->nsites == 1 ? f->sites[0].call : NULL;
    if (!call)
        return NULL;
    return strcmp(call, "crash") == 0   ? "crash in "
           : strcmp(call, "abort") == 0 ? "abort in "
           : strcmp(call, "exit") == 0  ? "unexpected end: "
           : strcmp(call, "hang") == 0  ? "no end: "
                                        : NULL;
}

char *sn_finding_title(const struct sn_finding *f)
{
    static const char *const words[SN_KIND_COUNT] = {
        [SN_KIND_DATA_RACE] = "data race",
        [SN_KIND_THREAD_SAFETY] = "thread-safety violation",
        [SN_KIND_ORDER] = "order violation",
        [SN_KIND_ATOMICITY] = "atomicity violation",
    };
    char *text;
    size_t bytes;
    FILE *out = sn_xcheck(open_memstream(&text, &bytes));
    const char *failure = failure_words(f);
    if (failure) {
        fputs(failure, out);
        put_function(out, &f->sites[0]);
    } else if (is_cycle(f)) {
        put_cycle(out, f);
    } else if (f->kind == SN_KIND_MISUSE) {
        put_misuse(out, f);
    } else {
        fputs(words[f->kind], out);
        put_object(out, &f->object);
        put_actors(out, f);
    }
    fclose(out);
    return text;
}

struct keyed_site {
    char *key;
    struct sn_site site;
};

static int compare_sites(const void *a, const void *b)
{
    const struct keyed_site *x = a, *y = b;
    int order = strcmp(x->key, y->key);
    if (order)
        return order;
    if (x->site.op != y->site.op)
        return x->site.op < y->site.op ? -1 : 1;
    if (x->site.size != y->site.size)
        return x->site.size < y->site.size ? -1 : 1;
    return x->site.thread < y->site.thread ? -1 : x->site.thread > y->site.thread;
}

static int compare_turns(const struct keyed_site *s, size_t n, size_t a, size_t b)
{
    for (size_t i = 0; i < n; i++) {
        int order = compare_sites(&s[(a + i) % n], &s[(b + i) % n]);
        if (order)
            return order;
    }
    return 0;
}

/* The order of an order violation and of an atomicity violation means something: it stays. */
static void order_sites(struct sn_finding *f)
{
    size_t n = f->nsites, first = 0;
    if (n < 2 || f->kind == SN_KIND_ORDER || f->kind == SN_KIND_ATOMICITY)
        return;
    char **keys = site_keys(f);
    struct keyed_site *s = sn_xcalloc(n, sizeof *s);
    for (size_t i = 0; i < n; i++)
        s[i] = (struct keyed_site){keys[i], f->sites[i]};
    if (is_cycle(f)) {
        for (size_t i = 1; i < n; i++) {
            if (compare_turns(s, n, i, first) < 0)
                first = i;
        }
    } else {
        qsort(s, n, sizeof *s, compare_sites);
    }
    for (size_t i = 0; i < n; i++)
        f->sites[i] = s[(first + i) % n].site;
    free(s);
    free_keys(keys, n);
}

void sn_finding_finish(struct sn_finding *f)
{
    order_sites(f);
    free(f->key);
    free(f->title);
    f->key = sn_finding_key(f);
    f->title = sn_finding_title(f);
}
