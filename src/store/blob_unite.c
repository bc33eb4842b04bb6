/*
 * blob_unite.c: what engines keep, united when stores are merged. Kinds that are sets
 * (blob_kinds.def) are joined as JSON: a join semilattice again, so order and repetition do not
 * matter. Of others one of the two stays: the newer; of two of the same date the shorter, then the
 * larger by bytes. (Units of a campaign have the plan's date: of their schedules for one finding
 * the shortest is kept.)
 */
#include "store/blob_unite.h"

#include <string.h>

#include "store/xalloc.h"

enum how { NEWEST, SET };

static enum how how_to_unite(const char *kind)
{
    static const struct {
        const char *kind;
        enum how how;
    } table[] = {
#define SN_BLOB_KIND(kind, how) {kind, how},
#include "store/blob_kinds.def"
#undef SN_BLOB_KIND
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].kind, kind))
            return table[i].how;
    return NEWEST;
}

static char *canonical(const json_t *j)
{
    return sn_xcheck(
        json_dumps(j, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY | JSON_REAL_PRECISION(17)));
}

/* Containers above all else: what has members never gives way to what has none. */
static int rank(const json_t *j)
{
    switch (json_typeof(j)) {
    case JSON_OBJECT:
        return 5;
    case JSON_ARRAY:
        return 4;
    case JSON_STRING:
        return 3;
    case JSON_INTEGER:
    case JSON_REAL:
        return 2;
    case JSON_TRUE:
        return 1;
    case JSON_FALSE:
        return 0;
    default:
        return -1;
    }
}

static int compare(const json_t *a, const json_t *b)
{
    if (rank(a) != rank(b))
        return rank(a) - rank(b);
    if (json_is_number(a) && json_number_value(a) != json_number_value(b))
        return json_number_value(a) < json_number_value(b) ? -1 : 1;
    char *x = canonical(a), *y = canonical(b);
    int order = strcmp(x, y);
    free(x);
    free(y);
    return order;
}

static json_t *unite_objects(const json_t *a, const json_t *b)
{
    json_t *all = sn_xcheck(json_object()), *value;
    const char *key;
    json_object_foreach((json_t *)a, key, value)
    {
        const json_t *other = json_object_get(b, key);
        json_object_set_new(all, key, sn_json_unite(value, other ? other : value));
    }
    json_object_foreach((json_t *)b, key, value)
    {
        if (!json_object_get(all, key))
            json_object_set_new(all, key, sn_json_unite(value, value));
    }
    return all;
}

struct element {
    char *text;
    json_t *value;
};

static int by_text(const void *a, const void *b)
{
    return strcmp(((const struct element *)a)->text, ((const struct element *)b)->text);
}

static size_t collect(const json_t *from, struct element *to, size_t n)
{
    for (size_t i = 0; i < json_array_size(from); i++) {
        json_t *one = json_array_get(from, i);
        to[n].value = sn_json_unite(one, one);
        to[n].text = canonical(to[n].value);
        n++;
    }
    return n;
}

static json_t *unite_arrays(const json_t *a, const json_t *b)
{
    struct element *e = sn_xcalloc(json_array_size(a) + json_array_size(b), sizeof *e);
    size_t n = collect(a, e, 0);
    json_t *all = sn_xcheck(json_array());
    n = collect(b, e, n);
    if (n)
        qsort(e, n, sizeof *e, by_text);
    for (size_t i = 0; i < n; i++)
        if (!i || strcmp(e[i].text, e[i - 1].text))
            json_array_append(all, e[i].value);
    for (size_t i = 0; i < n; i++) {
        json_decref(e[i].value);
        free(e[i].text);
    }
    free(e);
    return all;
}

json_t *sn_json_unite(const json_t *a, const json_t *b)
{
    if (json_is_object(a) && json_is_object(b))
        return unite_objects(a, b);
    if (json_is_array(a) && json_is_array(b))
        return unite_arrays(a, b);
    const json_t *larger = compare(a, b) >= 0 ? a : b;
    if (json_is_object(larger) || json_is_array(larger)) /* with its own arrays in order */
        return sn_json_unite(larger, larger);
    return sn_xcheck(json_deep_copy(larger));
}

/* ---- in SQL ---- */

static json_t *load(sqlite3_value *v)
{
    return json_loadb(sqlite3_value_blob(v), (size_t)sqlite3_value_bytes(v), JSON_DECODE_ANY, NULL);
}

static void answer_json(sqlite3_context *c, const json_t *j)
{
    char *text = canonical(j);
    sqlite3_result_blob64(c, text, strlen(text), SQLITE_TRANSIENT);
    free(text);
}

static int compare_bytes(sqlite3_value *a, sqlite3_value *b)
{
    int n = sqlite3_value_bytes(a), m = sqlite3_value_bytes(b);
    if (n != m)
        return n < m ? 1 : -1;
    return n ? memcmp(sqlite3_value_blob(a), sqlite3_value_blob(b), (size_t)n) : 0;
}

static void answer_newest(sqlite3_context *c, sqlite3_value **v)
{
    int64_t a = sqlite3_value_int64(v[1]), b = sqlite3_value_int64(v[3]);
    int order = a != b ? (a > b ? 1 : -1) : compare_bytes(v[2], v[4]);
    sqlite3_result_value(c, order >= 0 ? v[2] : v[4]);
}

static void unite(sqlite3_context *c, int n, sqlite3_value **v)
{
    (void)n;
    const char *kind = (const char *)sqlite3_value_text(v[0]);
    if (!kind || how_to_unite(kind) == NEWEST) {
        answer_newest(c, v);
        return;
    }
    json_t *a = load(v[2]), *b = load(v[4]);
    if (a && b) {
        json_t *both = sn_json_unite(a, b);
        answer_json(c, both);
        json_decref(both);
    } else if (a || b) { /* what is no JSON was not written by snag: the readable one stays */
        json_t *one = sn_json_unite(a ? a : b, a ? a : b);
        answer_json(c, one);
        json_decref(one);
    } else {
        answer_newest(c, v);
    }
    json_decref(a);
    json_decref(b);
}

int sn_blob_unite_register(struct sn_store *s)
{
    return sqlite3_create_function_v2(s->db, "sn_unite", 5, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                                      NULL, unite, NULL, NULL, NULL);
}
