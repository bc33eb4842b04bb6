/*
 * take_in.c: from the run files of a run to places and pairs.
 *
 * A correct interleaving is new orders in a row, and some of them may be in doubt (learn.c). The
 * others alone would allow to begin what nobody may end: threads would stall for each other. So
 * what is new about a place of an order in doubt is in doubt, too, until a second run has it.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "guard/invariants.h"
#include "store/runreader.h"
#include "store/xalloc.h"

struct order {
    uint32_t site, pred;
};

struct orders {
    struct order *o;
    size_t n, cap;
};

struct reader {
    struct orders certain, doubted; /* of the run file */
    struct sn_inv *v;
    struct sn_inv_run *run;
    bool learn;
    uint64_t accesses;                    /* of the run file */
    const struct sn_guard_rec_time *time; /* the same; null: the process was killed */
    int *module;                          /* by index in the run file: in v->keys, -1 unknown */
    size_t nmodules;
};

static void keep_path(struct sn_inv *v, const char *path)
{
    for (size_t i = 0; i < v->npaths; i++)
        if (strcmp(v->path[i], path) == 0)
            return;
    v->path = sn_xgrow(v->path, v->npaths, &v->path_cap, sizeof *v->path);
    v->path[v->npaths++] = sn_xstrdup(path);
}

static void read_module(struct reader *r, const struct sn_rec *rec, const char *exe)
{
    struct sn_run_module raw;
    if (sn_run_module(rec, &raw) != 0)
        return;
    while (r->nmodules <= raw.head->index) {
        r->module = sn_xrealloc(r->module, r->nmodules + 1, sizeof *r->module);
        r->module[r->nmodules++] = -1;
    }
    char *path = raw.path_bytes ? sn_xstrndup(raw.path, raw.path_bytes) : sn_xstrdup(exe);
    r->module[raw.head->index] = sn_keys_module(r->v->keys, path);
    if (r->module[raw.head->index] >= 0 && r->learn)
        keep_path(r->v, path);
    free(path);
}

/* False: the place is in no module that could be read. nil is place 0. */
static bool place_of(struct reader *r, sn_frame_ref frame, uint32_t *place)
{
    unsigned m = SN_FRAME_MODULE(frame);
    *place = 0;
    if (!frame)
        return true;
    if (m >= r->nmodules || r->module[m] < 0)
        return false;
    *place = sn_inv_place(r->v, sn_keys_of(r->v->keys, r->module[m], SN_FRAME_OFFSET(frame)));
    return true;
}

static void put(struct orders *to, uint32_t site, uint32_t pred)
{
    to->o = sn_xgrow(to->o, to->n, &to->cap, sizeof *to->o);
    to->o[to->n++] = (struct order){site, pred};
}

static void read_pair(struct reader *r, const struct sn_guard_rec_pair *p)
{
    uint32_t site, pred;
    if (!r->learn || !place_of(r, p->site, &site) || !place_of(r, p->pred, &pred) ||
        p->what < SN_GUARD_REMOTE || p->what > SN_GUARD_ENTER)
        return;
    if (p->what == SN_GUARD_DOUBT)
        put(&r->doubted, site, pred);
    else if (p->what == SN_GUARD_REMOTE)
        put(&r->certain, site, pred);
    else
        sn_inv_add(r->v, site, pred, (enum sn_guard_pair)p->what);
}

static bool has(const struct orders *all, const struct order *o)
{
    for (size_t i = 0; i < all->n; i++)
        if (all->o[i].site == o->site && all->o[i].pred == o->pred)
            return true;
    return false;
}

/* By place: an order about it is new and in doubt. malloc. */
static bool *find_shaky(const struct reader *r)
{
    const struct sn_inv *v = r->v;
    bool *shaky = sn_xcalloc(v->n, sizeof *shaky);
    for (size_t i = 0; i < r->doubted.n; i++) {
        const struct order *o = &r->doubted.o[i];
        if (sn_inv_has(v, o->site, o->pred, SN_GUARD_REMOTE) ||
            sn_inv_has(v, o->site, o->pred, SN_GUARD_DOUBT) || has(&r->certain, o))
            continue;
        shaky[o->site] = shaky[o->pred] = true;
    }
    shaky[0] = false; /* nil is no place */
    return shaky;
}

static void learn_orders(struct reader *r)
{
    bool *shaky = find_shaky(r);
    for (size_t i = 0; i < r->certain.n; i++) {
        const struct order *o = &r->certain.o[i];
        if ((shaky[o->site] || shaky[o->pred]) &&
            !sn_inv_has(r->v, o->site, o->pred, SN_GUARD_REMOTE))
            r->run->news += sn_inv_doubt(r->v, o->site, o->pred);
        else
            r->run->news += sn_inv_add(r->v, o->site, o->pred, SN_GUARD_REMOTE);
    }
    for (size_t i = 0; i < r->doubted.n; i++)
        r->run->news += sn_inv_doubt(r->v, r->doubted.o[i].site, r->doubted.o[i].pred);
    free(shaky);
    free(r->certain.o);
    free(r->doubted.o);
    r->certain = r->doubted = (struct orders){0};
}

static void read_counts(struct reader *r, const struct sn_guard_count *c, size_t n)
{
    uint32_t site;
    for (size_t i = 0; i < n && r->learn; i++)
        if (c[i].site && place_of(r, c[i].site, &site)) {
            r->v->place[site].count += c[i].count;
            r->accesses += c[i].count;
        }
}

/* Of processes that have told both. */
static void learn_time(struct reader *r)
{
    struct sn_inv_time *t = &r->v->time;
    if (r->learn && r->time) {
        t->user_us += r->time->user_us;
        t->system_us += r->time->system_us;
        t->accesses += r->accesses;
    }
    r->time = NULL;
    r->accesses = 0;
}

static void add_speed(struct sn_inv_time *to, const struct sn_guard_rec_time *t)
{
    to->user_us += t->user_us;
    to->system_us += t->system_us;
    to->accesses += t->accesses;
}

static void read_violation(struct reader *r, const struct sn_guard_rec_violation *raw)
{
    struct sn_inv_run *run = r->run;
    struct sn_inv_violation x = {.resolved = raw->resolved != 0, .ms = raw->ms};
    if (!place_of(r, raw->site, &x.site) || !place_of(r, raw->pred, &x.pred))
        return;
    run->violation = sn_xgrow(run->violation, run->n, &run->cap, sizeof *run->violation);
    run->violation[run->n++] = x;
}

static void read_record(struct reader *r, const struct sn_rec *rec)
{
    const char *data;
    size_t bytes;
    uint32_t what;
    if (sn_run_text(rec, &data, &bytes) != 0 || bytes < 8)
        return;
    memcpy(&what, data, sizeof what);
    if (what == SN_GUARD_REC_PAIR && bytes >= sizeof(struct sn_guard_rec_pair))
        read_pair(r, (const struct sn_guard_rec_pair *)data);
    else if (what == SN_GUARD_REC_COUNTS)
        read_counts(r, (const struct sn_guard_count *)(data + 8),
                    (bytes - 8) / sizeof(struct sn_guard_count));
    else if (what == SN_GUARD_REC_VIOLATION && bytes >= sizeof(struct sn_guard_rec_violation))
        read_violation(r, (const struct sn_guard_rec_violation *)data);
    else if (what == SN_GUARD_REC_TIME && bytes >= sizeof(struct sn_guard_rec_time))
        r->time = (const struct sn_guard_rec_time *)data;
    else if (what == SN_GUARD_REC_SPEED && bytes >= sizeof(struct sn_guard_rec_time))
        add_speed(&r->v->speed, (const struct sn_guard_rec_time *)data);
}

static void read_file(struct reader *r, const char *path)
{
    struct sn_run_file f;
    const struct sn_rec *rec;
    char *why = NULL;
    if (sn_run_load(path, &f, &why) != 0) {
        free(why); /* the ingest says so */
        return;
    }
    while ((rec = sn_run_next(&f)))
        if (rec->type == SN_REC_MODULE)
            read_module(r, rec, f.header.exe);
    sn_run_rewind(&f);
    while ((rec = sn_run_next(&f)))
        if (rec->type == SN_REC_ENGINE)
            read_record(r, rec);
    learn_orders(r);
    learn_time(r);
    free(r->module);
    r->module = NULL;
    r->nmodules = 0;
    sn_run_unload(&f);
}

int sn_inv_take_in(struct sn_inv *v, const char *run_dir, bool learn, struct sn_inv_run *run)
{
    struct reader r = {.v = v, .run = run, .learn = learn};
    DIR *dir = opendir(run_dir);
    if (!dir)
        return -errno;
    for (struct dirent *e; (e = readdir(dir));) {
        size_t n = strlen(e->d_name);
        if (n < 5 || strcmp(e->d_name + n - 4, ".run") != 0)
            continue;
        char *path = sn_xformat("%s/%s", run_dir, e->d_name);
        read_file(&r, path);
        free(path);
    }
    closedir(dir);
    return 0;
}

void sn_inv_run_clear(struct sn_inv_run *run)
{
    free(run->violation);
    *run = (struct sn_inv_run){0};
}
