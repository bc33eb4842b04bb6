/*
 * invariants.c: the table and its rows in the store. Rows are blobs of the kind "ai PROGRAM": the
 * key is the fact, "r SITE PRED" and its kin with tabs between, so that uniting stores unites sets.
 */
#include "guard/invariants.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/xalloc.h"

static const char letters[] = " rlkcde"; /* by enum sn_guard_pair */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void sn_inv_init(struct sn_inv *v, const char *program)
{
    *v = (struct sn_inv){.program = sn_xstrdup(base_name(program)), .keys = sn_keys_new()};
    sn_inv_place(v, ""); /* nil is place 0 */
}

void sn_inv_clear(struct sn_inv *v)
{
    for (size_t i = 0; i < v->n; i++) {
        free(v->place[i].key);
        free(v->place[i].set);
    }
    for (size_t i = 0; i < v->npaths; i++)
        free(v->path[i]);
    free(v->place);
    free(v->pair);
    free(v->copy);
    free(v->path);
    free(v->news);
    free(v->program);
    sn_map_free(&v->by_key);
    sn_map_free(&v->by_pair);
    sn_keys_free(v->keys);
    *v = (struct sn_inv){0};
}

uint32_t sn_inv_place(struct sn_inv *v, const char *key)
{
    uint32_t i;
    uint64_t hash = sn_keys_hash(key);
    if (sn_map_get(&v->by_key, hash, &i))
        return i;
    v->place = sn_xgrow(v->place, v->n, &v->cap, sizeof *v->place);
    v->place[v->n] = (struct sn_inv_place){.key = sn_xstrdup(key), .module = -1};
    sn_map_put(&v->by_key, hash, (uint32_t)v->n);
    return (uint32_t)v->n++;
}

bool sn_inv_known(struct sn_inv *v, const char *key, uint32_t *place)
{
    return sn_map_get(&v->by_key, sn_keys_hash(key), place);
}

static uint64_t hash_of(uint32_t site, uint32_t pred, enum sn_guard_pair what)
{
    return ((uint64_t)site << 34 | (uint64_t)pred << 4 | what) + 1;
}

bool sn_inv_has(const struct sn_inv *v, uint32_t site, uint32_t pred, enum sn_guard_pair what)
{
    uint32_t i;
    return sn_map_get(&v->by_pair, hash_of(site, pred, what), &i);
}

bool sn_inv_add(struct sn_inv *v, uint32_t site, uint32_t pred, enum sn_guard_pair what)
{
    uint64_t hash = hash_of(site, pred, what);
    uint32_t i;
    if (sn_map_get(&v->by_pair, hash, &i))
        return false;
    v->pair = sn_xgrow(v->pair, v->npairs, &v->pair_cap, sizeof *v->pair);
    v->pair[v->npairs] = (struct sn_inv_pair){site, pred, (uint8_t)what, true, v->nruns};
    sn_map_put(&v->by_pair, hash, (uint32_t)v->npairs++);
    if (what == SN_GUARD_LOCK && !v->place[site].lock)
        v->place[site].lock = pred;
    if (what == SN_GUARD_CHOSEN)
        v->place[site].chosen = true;
    return true;
}

bool sn_inv_doubt(struct sn_inv *v, uint32_t site, uint32_t pred)
{
    uint32_t i;
    if (sn_inv_add(v, site, pred, SN_GUARD_DOUBT) ||
        !sn_map_get(&v->by_pair, hash_of(site, pred, SN_GUARD_DOUBT), &i))
        return false;
    return v->pair[i].run != v->nruns && sn_inv_add(v, site, pred, SN_GUARD_REMOTE);
}

/* ---- the store ---- */

static char *kind_of(const struct sn_inv *v, const char *what)
{
    return sn_xformat("ai%s %s", what, v->program);
}

static int read_pair(void *arg, const char *key, const void *data, size_t bytes)
{
    struct sn_inv *v = arg;
    char *copy = sn_xstrdup(key), *site = strchr(copy, '\t');
    char *pred = site ? strchr(site + 1, '\t') : NULL;
    const char *letter = strchr(letters + 1, *copy);
    (void)data, (void)bytes;
    if (pred && letter && *letter) {
        *pred++ = '\0';
        uint32_t s = sn_inv_place(v, site + 1), p = sn_inv_place(v, pred);
        if (sn_inv_add(v, s, p, (enum sn_guard_pair)(letter - letters))) {
            v->pair[v->npairs - 1].fresh = false;
            v->pair[v->npairs - 1].run = SIZE_MAX;
        }
    }
    free(copy);
    return 0;
}

static int read_count(void *arg, const char *key, const void *data, size_t bytes)
{
    struct sn_inv *v = arg;
    char number[32] = "";
    memcpy(number, data, bytes < sizeof number - 1 ? bytes : sizeof number - 1);
    uint32_t s = sn_inv_place(v, key); /* which may move v->place */
    v->place[s].count = strtoull(number, NULL, 10);
    return 0;
}

static int read_path(void *arg, const char *key, const void *data, size_t bytes)
{
    struct sn_inv *v = arg;
    (void)key;
    v->path = sn_xgrow(v->path, v->npaths, &v->path_cap, sizeof *v->path);
    v->path[v->npaths++] = sn_xstrndup(data, bytes);
    return 0;
}

static void read_history(struct sn_inv *v, const char *text, size_t bytes)
{
    json_t *o = json_loadb(text, bytes, 0, NULL), *n;
    size_t i;
    v->failed = (uint32_t)json_integer_value(json_object_get(o, "failed"));
    json_array_foreach(json_object_get(o, "new"), i, n)
    {
        v->news = sn_xgrow(v->news, v->nruns, &v->run_cap, sizeof *v->news);
        v->news[v->nruns++] = (uint32_t)json_integer_value(n);
    }
    json_decref(o);
}

/* What is not there is not known: older stores have less. */
static void read_times(struct sn_inv *v, const char *data, size_t bytes)
{
    struct sn_inv_time *t = &v->time, *s = &v->speed;
    char *text = sn_xstrndup(data, bytes);
    int n = sscanf(text,
                   "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
                   " %" SCNu32,
                   &t->user_us, &t->system_us, &t->accesses, &s->user_us, &s->system_us,
                   &s->accesses, &v->speed_runs);
    if (n < 3)
        *t = (struct sn_inv_time){0};
    if (n < 7) {
        *s = (struct sn_inv_time){0};
        v->speed_runs = 0;
    }
    free(text);
}

int sn_inv_read_store(struct sn_inv *v, struct sn_store *s)
{
    static const struct {
        const char *what;
        int (*read)(void *, const char *, const void *, size_t);
    } tables[] = {{"", read_pair}, {"-count", read_count}, {"-path", read_path}};
    int r = 0;
    for (int i = 0; i < 3 && !r; i++) {
        char *kind = kind_of(v, tables[i].what);
        r = sn_store_each_blob(s, kind, tables[i].read, v);
        free(kind);
    }
    void *data;
    size_t bytes;
    if (!r && sn_store_get_blob(s, "ai-runs", v->program, &data, &bytes) == 0) {
        read_history(v, data, bytes);
        free(data);
    }
    if (!r && sn_store_get_blob(s, "ai-time", v->program, &data, &bytes) == 0) {
        read_times(v, data, bytes);
        free(data);
    }
    return r;
}

struct rows {
    struct sn_blob *b;
    size_t n, cap;
};

/* Takes key and data over. */
static void add_row(struct rows *r, const char *kind, char *key, char *data)
{
    r->b = sn_xgrow(r->b, r->n, &r->cap, sizeof *r->b);
    r->b[r->n++] = (struct sn_blob){kind, key, data, strlen(data)};
}

static char *history_text(const struct sn_inv *v)
{
    json_t *o = json_object(), *a = json_array();
    for (size_t i = 0; i < v->nruns; i++)
        json_array_append_new(a, json_integer(v->news[i]));
    json_object_set_new(o, "new", a);
    json_object_set_new(o, "failed", json_integer(v->failed));
    char *text = sn_xcheck(json_dumps(o, JSON_COMPACT | JSON_SORT_KEYS));
    json_decref(o);
    return text;
}

static void add_rows(struct sn_inv *v, struct rows *rows, const char *pairs, const char *counts,
                     const char *paths)
{
    for (size_t i = 0; i < v->npairs; i++) {
        const struct sn_inv_pair *p = &v->pair[i];
        if (p->fresh)
            add_row(rows, pairs,
                    sn_xformat("%c\t%s\t%s", letters[p->what], v->place[p->site].key,
                               v->place[p->pred].key),
                    sn_xstrdup(""));
    }
    for (size_t i = 1; i < v->n; i++)
        if (v->place[i].count)
            add_row(rows, counts, sn_xstrdup(v->place[i].key),
                    sn_xformat("%" PRIu64, v->place[i].count));
    for (size_t i = 0; i < v->npaths; i++)
        add_row(rows, paths, sn_xstrdup(base_name(v->path[i])), sn_xstrdup(v->path[i]));
    add_row(rows, "ai-runs", sn_xstrdup(v->program), history_text(v));
    if (v->time.accesses)
        add_row(rows, "ai-time", sn_xstrdup(v->program),
                sn_xformat("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
                           " %" PRIu32,
                           v->time.user_us, v->time.system_us, v->time.accesses, v->speed.user_us,
                           v->speed.system_us, v->speed.accesses, v->speed_runs));
}

int sn_inv_write_store(struct sn_inv *v, struct sn_store *s)
{
    struct rows rows = {0};
    char *pairs = kind_of(v, ""), *counts = kind_of(v, "-count"), *paths = kind_of(v, "-path");
    add_rows(v, &rows, pairs, counts, paths);
    int r = sn_store_put_blobs(s, rows.b, rows.n);
    for (size_t i = 0; i < v->npairs && !r; i++)
        v->pair[i].fresh = false;
    for (size_t i = 0; i < rows.n; i++) {
        free((char *)rows.b[i].key);
        free((char *)rows.b[i].data);
    }
    free(rows.b);
    free(pairs);
    free(counts);
    free(paths);
    return r;
}

/* ---- where the places are now ---- */

/* "prog!function…" or "prog+0x…": a name may have these signs itself ("calc++"). */
static bool is_in(const char *key, const char *path)
{
    const char *name = base_name(path);
    size_t n = strlen(name);
    return strncmp(key, name, n) == 0 && (key[n] == '!' || strncmp(key + n, "+0x", 3) == 0);
}

static int module_of(struct sn_inv *v, const char *key, const char *program)
{
    if (is_in(key, program))
        return sn_keys_module(v->keys, program);
    for (size_t i = 0; i < v->npaths; i++)
        if (is_in(key, v->path[i]))
            return sn_keys_module(v->keys, v->path[i]);
    return -1;
}

size_t sn_inv_locate(struct sn_inv *v, const char *program)
{
    size_t gone = 0;
    for (size_t i = 1; i < v->n; i++) {
        struct sn_inv_place *p = &v->place[i];
        p->module = module_of(v, p->key, program);
        if (p->module >= 0 && !sn_keys_find(v->keys, p->module, p->key, &p->returns))
            p->module = -1;
        gone += p->module < 0;
    }
    return gone;
}

size_t sn_inv_quiet_runs(const struct sn_inv *v)
{
    size_t n = 0;
    while (n < v->nruns && !v->news[v->nruns - 1 - n])
        n++;
    return n;
}
