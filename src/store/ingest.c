/*
 * ingest.c: the run files of one run, one after the other: modules, locks and lock edges first (a
 * finding may be written before the module that it names), then findings, then lock orders.
 */
#include "store/ingest.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "store/ingest_process.h"
#include "store/lockorder.h"
#include "store/loss.h"
#include "store/utf8.h"
#include "store/xalloc.h"

struct ingest {
    struct sn_symboliser *symbols;
    struct sn_findings *out;
    struct sn_ingest_info *info;
    size_t nmessages, cap_messages;
};

/* Takes `text`. The same words are said once, however many processes say them. */
static void say(struct ingest *in, char *text)
{
    char **m = in->info->messages;
    for (size_t i = 0; i < in->nmessages; i++) {
        if (!strcmp(m[i], text)) {
            free(text);
            return;
        }
    }
    m = sn_xgrow(m, in->nmessages + 1, &in->cap_messages, sizeof *m);
    m[in->nmessages++] = text;
    m[in->nmessages] = NULL;
    in->info->messages = m;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void add_module(struct sn_ingest_process *p, const struct sn_run_module *raw)
{
    const struct sn_rec_module *h = raw->head;
    if (h->index >= p->nmodules) {
        p->module = sn_xrealloc(p->module, h->index + 1, sizeof *p->module);
        memset(p->module + p->nmodules, 0, (h->index + 1 - p->nmodules) * sizeof *p->module);
        p->nmodules = h->index + 1;
    }
    struct sn_ingest_module *m = &p->module[h->index];
    char *path =
        raw->path_bytes ? sn_xstrndup(raw->path, raw->path_bytes) : sn_xstrdup(p->file->header.exe);
    free(m->name);
    *m = (struct sn_ingest_module){.base = h->base, .start = h->start, .end = h->end};
    m->name = sn_xstrdup(base_name(path));
    m->snag = sn_module_is_snag(path);
    m->known = !sn_symbol_module(p->symbols, path, h->build_id, h->build_id_bytes, &m->handle);
    free(path);
}

static void add_edge(struct sn_ingest_process *p, const struct sn_rec *r)
{
    p->edge = sn_xgrow(p->edge, p->nedges, &p->cap_edges, sizeof *p->edge);
    if (!sn_run_edge(r, &p->edge[p->nedges]))
        p->nedges++;
}

static void add_lock(struct sn_ingest_process *p, const struct sn_rec *r)
{
    p->lock = sn_xgrow(p->lock, p->nlocks, &p->cap_locks, sizeof *p->lock);
    if (!sn_run_lock_info(r, &p->lock[p->nlocks]))
        p->nlocks++;
}

static void add_stack(struct sn_ingest_process *p, const struct sn_rec *r)
{
    p->stack = sn_xgrow(p->stack, p->nstacks, &p->cap_stacks, sizeof *p->stack);
    if (!sn_run_stack(r, &p->stack[p->nstacks]))
        p->nstacks++;
}

static int compare_stacks(const void *a, const void *b)
{
    const struct sn_run_stack *x = a, *y = b;
    return x->head->id < y->head->id ? -1 : x->head->id > y->head->id;
}

static int compare_locks(const void *a, const void *b)
{
    const struct sn_run_lock_info *x = a, *y = b;
    return x->head->id < y->head->id ? -1 : x->head->id > y->head->id;
}

static void add_message(struct ingest *in, const struct sn_rec *r)
{
    const char *text;
    size_t bytes;
    if (!sn_run_text(r, &text, &bytes) && bytes)
        say(in, sn_utf8_clean(text, bytes, true));
}

static void read_facts(struct ingest *in, struct sn_ingest_process *p)
{
    const struct sn_rec *r;
    struct sn_run_module module;
    while ((r = sn_run_next(p->file))) {
        if (r->type == SN_REC_MODULE && !sn_run_module(r, &module))
            add_module(p, &module);
        else if (r->type == SN_REC_LOCK_EDGE)
            add_edge(p, r);
        else if (r->type == SN_REC_LOCK_INFO)
            add_lock(p, r);
        else if (r->type == SN_REC_STACK)
            add_stack(p, r);
        else if (r->type == SN_REC_MESSAGE)
            add_message(in, r);
    }
    if (p->nlocks)
        qsort(p->lock, p->nlocks, sizeof *p->lock, compare_locks);
    if (p->nstacks)
        qsort(p->stack, p->nstacks, sizeof *p->stack, compare_stacks);
    sn_run_rewind(p->file);
}

static void read_findings(struct ingest *in, struct sn_ingest_process *p)
{
    const struct sn_rec *r;
    struct sn_run_finding raw;
    while ((r = sn_run_next(p->file))) {
        if (r->type == SN_REC_FINDING && !sn_run_finding(r, &raw))
            sn_ingest_finding(p, &raw, sn_findings_add(in->out));
    }
}

struct cycles {
    struct ingest *in;
    struct sn_ingest_process *p;
};

static void add_cycle(void *arg, const struct sn_lock_cycle *c)
{
    struct cycles *all = arg;
    sn_ingest_cycle(all->p, c, sn_findings_add(all->in->out));
}

static void free_process(struct sn_ingest_process *p)
{
    for (size_t i = 0; i < p->nmodules; i++)
        free(p->module[i].name);
    free(p->module);
    free(p->edge);
    free(p->lock);
    free(p->stack);
}

static void say_damage(struct ingest *in, const char *name, const struct sn_run_file *f)
{
    if (f->skipped)
        say(in, sn_xformat("%s: %zu bytes from byte %zu on are damaged and were skipped", name,
                           f->skipped, f->skipped_at));
    in->info->damaged += f->cut;
    if (f->cut)
        say(in, sn_xformat("%s is cut off: findings at its end may be missing (is the disk full, or ulimit -f small?)",
                           name));
}

_Static_assert(SN_C_COUNT <= SN_RUN_COUNTERS, "every counter has its place in the header");

static void count(struct sn_ingest_info *info, const struct sn_run_header *h)
{
    info->processes++;
    info->instrumented += h->instrumented == 1;
    info->unfinished += h->state == SN_RUN_LIVE;
    for (unsigned i = 0; i < SN_RUN_COUNTERS; i++)
        info->counters[i] += h->counters[i];
}

static void take_file(struct ingest *in, struct sn_run_file *f, const char *name)
{
    struct sn_ingest_process p = {.file = f, .symbols = in->symbols};
    struct cycles all = {in, &p};
    count(in->info, &f->header);
    read_facts(in, &p);
    read_findings(in, &p);
    if (!sn_lock_order(p.edge, p.nedges, add_cycle, &all))
        say(in, sn_xformat(
                    "%s: too many lock orders to look at all; potential deadlocks may be missing",
                    base_name(f->header.exe)));
    say_damage(in, name, f);
    free_process(&p);
}

/* The header's first word is written last. */
static bool is_blank(const char *path)
{
    uint64_t magic = 0;
    FILE *in = fopen(path, "rbe");
    if (!in)
        return false;
    size_t n = fread(&magic, 1, sizeof magic, in);
    bool blank = !magic && (n == sizeof magic || (n == 0 && feof(in)));
    fclose(in);
    return blank;
}

static void take_path(struct ingest *in, const char *dir, const char *name)
{
    struct sn_run_file f;
    char *why = NULL, *path = sn_xformat("%s/%s", dir, name);
    if (is_blank(path)) {
        ; /* its process has not begun yet, or was killed before it did */
    } else if (sn_run_load(path, &f, &why)) {
        in->info->damaged++;
        say(in, sn_xformat("%s was skipped: %s", name, why));
    } else {
        take_file(in, &f, name);
        sn_run_unload(&f);
    }
    free(why);
    free(path);
}

static int is_run_file(const struct dirent *e)
{
    size_t n = strlen(e->d_name);
    return n > 4 && !strcmp(e->d_name + n - 4, ".run");
}

int sn_ingest(const char *run_dir, struct sn_findings *out, struct sn_ingest_info *info)
{
    struct dirent **names;
    struct ingest in = {.out = out, .info = info};
    *info = (struct sn_ingest_info){0};
    int n = scandir(run_dir, &names, is_run_file, versionsort);
    if (n < 0)
        return -errno;
    in.symbols = sn_symboliser_new();
    for (int i = 0; i < n; i++) {
        take_path(&in, run_dir, names[i]->d_name);
        free(names[i]);
    }
    free(names);
    sn_symboliser_free(in.symbols);
    for (unsigned i = 0; i < SN_C_COUNT; i++) {
        char *words = sn_loss_words((enum sn_count)i, info->counters[i]);
        if (words)
            say(&in, words);
    }
    sn_findings_unite(out);
    return 0;
}

void sn_ingest_info_free(struct sn_ingest_info *info)
{
    for (size_t i = 0; info->messages && info->messages[i]; i++)
        free(info->messages[i]);
    free(info->messages);
    info->messages = NULL;
}
