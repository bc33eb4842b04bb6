/*
 * trapset.c: the trap set between runs, see trapset.h. In the store it is a JSON object of pairs; a
 * place has what is needed to find it again: exactly in the same build, by its line in another.
 */
#include "cmd/trapset.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/trapset.h"
#include "engine/tsvd/record.h"
#include "store/runreader.h"
#include "store/store.h"
#include "store/xalloc.h"
#include "symbol/symbol.h"

static const char kind[] = "tsvd-pairs";

/* As in the engine. */
enum { DANGEROUS = 1, ORDERED, FOUND, WORN };

struct module {
    char *path;
    uint8_t id[32];
    unsigned id_bytes, handle;
    bool known;
};

struct reader {
    struct sn_symboliser *symbols;
    struct module *module;
    size_t nmodules;
    json_t *pairs;  /* object: key of the pair -> pair, as it is to be stored */
    json_t *points; /* null: not wanted */
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static char *hex(const uint8_t *bytes, unsigned n)
{
    char *out = sn_xcalloc(2 * n + 1, 1);
    for (unsigned i = 0; i < n; i++)
        snprintf(out + 2 * i, 3, "%02x", bytes[i]);
    return out;
}

/* ---- from run files ---- */

static void read_module(struct reader *r, const struct sn_rec *rec, const char *exe)
{
    struct sn_run_module raw;
    if (sn_run_module(rec, &raw) != 0)
        return;
    if (raw.head->index >= r->nmodules) {
        size_t n = raw.head->index + 1;
        r->module = sn_xrealloc(r->module, n, sizeof *r->module);
        memset(r->module + r->nmodules, 0, (n - r->nmodules) * sizeof *r->module);
        r->nmodules = n;
    }
    struct module *m = &r->module[raw.head->index];
    free(m->path);
    m->path = raw.path_bytes ? sn_xstrndup(raw.path, raw.path_bytes) : sn_xstrdup(exe);
    m->id_bytes = raw.head->build_id_bytes;
    memcpy(m->id, raw.head->build_id, sizeof m->id);
    m->known = sn_symbol_module(r->symbols, m->path, m->id, m->id_bytes, &m->handle) == 0;
}

static void set_text(json_t *o, const char *key, const char *text)
{
    json_t *s = text ? json_string(text) : NULL; /* null when it is no UTF-8 */
    if (s)
        json_object_set_new(o, key, s);
}

/* Null: the place is in no module. */
static json_t *place_json(struct reader *r, const struct sn_tsvd_place *p)
{
    unsigned i = SN_FRAME_MODULE(p->frame);
    if (i >= r->nmodules || !r->module[i].known || p->name[SN_TSVD_NAME - 1])
        return NULL;
    const struct module *m = &r->module[i];
    struct sn_stack stack = {0};
    sn_symbol_code(r->symbols, m->handle, SN_FRAME_OFFSET(p->frame), true, &stack);
    json_t *o = json_object();
    char *id = hex(m->id, m->id_bytes);
    set_text(o, "module", base_name(m->path));
    set_text(o, "path", m->path);
    set_text(o, "build_id", id);
    json_object_set_new(o, "offset", json_integer((json_int_t)SN_FRAME_OFFSET(p->frame)));
    set_text(o, "call", p->name);
    set_text(o, "function", stack.frame[0].function);
    if (stack.frame[0].file) {
        set_text(o, "file", base_name(stack.frame[0].file));
        json_object_set_new(o, "line", json_integer(stack.frame[0].line));
        json_object_set_new(o, "column", json_integer(stack.frame[0].column));
    }
    sn_stack_clear(&stack);
    free(id);
    return o;
}

/* What makes two places the same; with debug information the build does not matter. */
static char *place_key(const json_t *o)
{
    const char *module = json_string_value(json_object_get(o, "module"));
    const char *call = json_string_value(json_object_get(o, "call"));
    const char *file = json_string_value(json_object_get(o, "file"));
    const char *function = json_string_value(json_object_get(o, "function"));
    if (file)
        return sn_xformat("%s %s@%s:%lld:%lld!%s", module, function ? function : "?", file,
                          (long long)json_integer_value(json_object_get(o, "line")),
                          (long long)json_integer_value(json_object_get(o, "column")), call);
    return sn_xformat("%s+%llx@%s!%s", module,
                      (long long)json_integer_value(json_object_get(o, "offset")),
                      json_string_value(json_object_get(o, "build_id")), call);
}

static char *pair_key(const json_t *a, const json_t *b)
{
    char *x = place_key(a), *y = place_key(b);
    bool swap = strcmp(x, y) > 0;
    char *key = sn_xformat("%s | %s", swap ? y : x, swap ? x : y);
    free(x);
    free(y);
    return key;
}

static void read_pair(struct reader *r, const struct sn_tsvd_rec_pair *p)
{
    json_t *a = place_json(r, &p->a), *b = place_json(r, &p->b);
    if (a && b) {
        char *key = pair_key(a, b);
        if (p->state == FOUND)
            json_object_del(r->pairs, key);
        else
            json_object_set_new(
                r->pairs, key,
                json_pack("{s:O, s:O, s:b}", "a", a, "b", b, "quiet", p->state != DANGEROUS));
        free(key);
    }
    json_decref(a);
    json_decref(b);
}

static void read_state(struct reader *r, const struct sn_tsvd_rec_state *s)
{
    if (s->name[SN_TSVD_NAME - 1])
        return;
    char *key = sn_xformat("state %s", s->name);
    json_object_set_new(r->pairs, key, json_pack("{s:s}", "state", s->name));
    free(key);
}

static void read_point(struct reader *r, const struct sn_tsvd_rec_point *p)
{
    json_t *place = r->points ? place_json(r, &p->place) : NULL;
    if (!place)
        return;
    json_object_set_new(place, "concurrent", json_boolean(p->concurrent));
    json_object_set_new(place, "delays", json_integer(p->delays));
    json_array_append_new(r->points, place);
}

static void read_engine_record(struct reader *r, const struct sn_rec *rec)
{
    const char *data;
    size_t bytes;
    uint32_t what;
    if (sn_run_text(rec, &data, &bytes) != 0 || bytes < sizeof what)
        return;
    memcpy(&what, data, sizeof what);
    if (what == SN_TSVD_REC_PAIR && bytes >= sizeof(struct sn_tsvd_rec_pair))
        read_pair(r, (const struct sn_tsvd_rec_pair *)data);
    else if (what == SN_TSVD_REC_POINT && bytes >= sizeof(struct sn_tsvd_rec_point))
        read_point(r, (const struct sn_tsvd_rec_point *)data);
    else if (what == SN_TSVD_REC_STATE && bytes >= sizeof(struct sn_tsvd_rec_state))
        read_state(r, (const struct sn_tsvd_rec_state *)data);
}

static void read_file(struct reader *r, const char *path)
{
    struct sn_run_file f;
    const struct sn_rec *rec;
    char *why = NULL;
    if (sn_run_load(path, &f, &why) != 0) {
        free(why); /* the ingest has said so */
        return;
    }
    while ((rec = sn_run_next(&f)))
        if (rec->type == SN_REC_MODULE)
            read_module(r, rec, f.header.exe);
    sn_run_rewind(&f);
    while ((rec = sn_run_next(&f)))
        if (rec->type == SN_REC_ENGINE)
            read_engine_record(r, rec);
    for (size_t i = 0; i < r->nmodules; i++)
        free(r->module[i].path);
    free(r->module);
    r->module = NULL;
    r->nmodules = 0;
    sn_run_unload(&f);
}

/* ---- the store ---- */

static json_t *stored(struct sn_store *store, const char *program)
{
    void *data = NULL;
    size_t bytes;
    json_t *all = NULL;
    if (store && sn_store_get_blob(store, kind, base_name(program), &data, &bytes) == 0)
        all = json_loadb(data, bytes, 0, NULL);
    free(data);
    if (!json_is_object(all)) {
        json_decref(all);
        all = json_object();
    }
    return all;
}

int sn_trapset_save(struct sn_store *store, const char *program, const char *run_dir,
                    json_t *points)
{
    struct reader r = {.symbols = sn_symboliser_new(), .points = points};
    DIR *dir = opendir(run_dir);
    int status = dir ? 0 : -errno;
    r.pairs = stored(store, program);
    json_t *before = json_deep_copy(r.pairs);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        size_t n = strlen(e->d_name);
        if (n < 5 || strcmp(e->d_name + n - 4, ".run") != 0)
            continue;
        char *path = sn_xformat("%s/%s", run_dir, e->d_name);
        read_file(&r, path);
        free(path);
    }
    if (dir)
        closedir(dir);
    if (store && !status && !json_equal(before, r.pairs)) {
        char *text = sn_xcheck(json_dumps(r.pairs, JSON_COMPACT | JSON_SORT_KEYS));
        status = sn_store_put_blob(store, kind, base_name(program), text, strlen(text));
        free(text);
    }
    json_decref(before);
    json_decref(r.pairs);
    sn_symboliser_free(r.symbols);
    return status;
}

/* ---- into the run folder ---- */

struct ranges {
    struct sn_trapset_place *place;
    size_t n, cap;
    const struct sn_trapset_place *like;
};

static void add_range(void *arg, uint64_t low, uint64_t high)
{
    struct ranges *r = arg;
    r->place = sn_xgrow(r->place, r->n, &r->cap, sizeof *r->place);
    r->place[r->n] = *r->like;
    r->place[r->n].low = low;
    r->place[r->n++].high = high;
}

static bool is_same_build(struct sn_symboliser *s, unsigned module, const char *build_id)
{
    uint8_t id[64];
    unsigned n = sn_symbol_build_id(s, module, id);
    char *now = hex(id, n);
    bool same = n && build_id && strcmp(now, build_id) == 0;
    free(now);
    return same;
}

/* Where the place is in the module as it is now. */
static void find_place(struct sn_symboliser *s, const json_t *o, struct ranges *out)
{
    const char *path = json_string_value(json_object_get(o, "path"));
    const char *name = json_string_value(json_object_get(o, "module"));
    const char *call = json_string_value(json_object_get(o, "call"));
    const char *file = json_string_value(json_object_get(o, "file"));
    uint64_t offset = (uint64_t)json_integer_value(json_object_get(o, "offset"));
    struct sn_trapset_place like = {0};
    unsigned module;
    if (!path || !name || !call || sn_symbol_module(s, path, NULL, 0, &module) != 0)
        return;
    snprintf(like.module, sizeof like.module, "%s", name);
    snprintf(like.call, sizeof like.call, "%s", call);
    out->like = &like;
    if (is_same_build(s, module, json_string_value(json_object_get(o, "build_id"))))
        add_range(out, offset - 1, offset);
    else if (file)
        sn_symbol_lines(s, module, file, (int)json_integer_value(json_object_get(o, "line")),
                        (int)json_integer_value(json_object_get(o, "column")), add_range, out);
}

static void write_pairs(FILE *out, struct sn_symboliser *s, const json_t *pair, size_t *left)
{
    struct ranges a = {0}, b = {0};
    const char *state = json_string_value(json_object_get(pair, "state"));
    if (state && *left) {
        struct sn_trapset_pair p = {0};
        snprintf(p.a.call, sizeof p.a.call, "%s", state);
        fwrite(&p, sizeof p, 1, out);
        --*left;
        return;
    }
    find_place(s, json_object_get(pair, "a"), &a);
    find_place(s, json_object_get(pair, "b"), &b);
    for (size_t i = 0; i < a.n; i++)
        for (size_t k = 0; k < b.n && *left; k++, --*left) {
            struct sn_trapset_pair p = {a.place[i], b.place[k],
                                        json_is_true(json_object_get(pair, "quiet"))};
            fwrite(&p, sizeof p, 1, out);
        }
    free(a.place);
    free(b.place);
}

int sn_trapset_load(struct sn_store *store, const char *program, const char *run_dir)
{
    json_t *all = stored(store, program);
    const char *key;
    json_t *pair;
    size_t left = SN_TRAPSET_MAX;
    int status = 0;
    if (json_object_size(all)) {
        char *path = sn_xformat("%s/%s", run_dir, SN_TRAPSET_FILE);
        FILE *out = fopen(path, "w");
        struct sn_symboliser *s = sn_symboliser_new();
        if (!out)
            status = -errno;
        json_object_foreach(all, key, pair) if (out) write_pairs(out, s, pair, &left);
        if (out && fclose(out) != 0)
            status = -errno;
        sn_symboliser_free(s);
        free(path);
    }
    json_decref(all);
    return status;
}
