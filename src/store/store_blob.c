/*
 * store_blob.c: what engines keep from run to run, opaque to the store: schedules, traps,
 * invariants, each by (kind, key).
 */
#include "store/store.h"

#include <errno.h>
#include <time.h>

#include "store/store_sql.h"
#include "store/unit_id.h"
#include "store/xalloc.h"

struct blob_call {
    const char *kind, *key;
    const void *data;
    size_t bytes;
    void *found;
    size_t found_bytes;
    int (*fn)(void *arg, const char *key, const void *data, size_t bytes);
    void *arg;
    int answer;
};

static int64_t wall_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The newer wins also when clocks of machines disagree: a change here is later than what it
 * replaces. */
static int put(struct sn_store *s, void *arg)
{
    struct blob_call *c = arg;
    sqlite3_stmt *stmt;
    int rc = sn_sql_prepare(s,
                            "INSERT INTO blob(kind, key, changed_ns, data) VALUES(?1, ?2, ?3, ?4)"
                            " ON CONFLICT(kind, key) DO UPDATE SET data = excluded.data,"
                            " changed_ns = max(excluded.changed_ns, changed_ns + 1)",
                            &stmt);
    if (rc != SQLITE_OK)
        return rc;
    sn_sql_bind_text(stmt, 1, c->kind);
    sn_sql_bind_text(stmt, 2, c->key);
    const struct sn_unit_id *unit = sn_unit_id();
    sqlite3_bind_int64(stmt, 3, unit ? unit->planned_ns : wall_ns());
    sqlite3_bind_blob64(stmt, 4, c->bytes ? c->data : "", c->bytes, SQLITE_STATIC);
    sqlite3_step(stmt);
    return sqlite3_finalize(stmt);
}

int sn_store_put_blob(struct sn_store *s, const char *kind, const char *key, const void *data,
                      size_t bytes)
{
    struct blob_call c = {.kind = kind, .key = key, .data = data, .bytes = bytes};
    return sn_sql_write(s, put, &c);
}

static int get(struct sn_store *s, void *arg)
{
    struct blob_call *c = arg;
    sqlite3_stmt *stmt;
    int rc = sn_sql_prepare(s, "SELECT data FROM blob WHERE kind = ?1 AND key = ?2", &stmt);
    if (rc != SQLITE_OK)
        return rc;
    sn_sql_bind_text(stmt, 1, c->kind);
    sn_sql_bind_text(stmt, 2, c->key);
    if (sqlite3_step(stmt) == SQLITE_ROW) {
        const void *data = sqlite3_column_blob(stmt, 0);
        c->found_bytes = (size_t)sqlite3_column_bytes(stmt, 0);
        free(c->found);
        c->found = sn_xcalloc(c->found_bytes + 1, 1);
        if (c->found_bytes)
            memcpy(c->found, data, c->found_bytes);
    }
    return sqlite3_finalize(stmt);
}

int sn_store_get_blob(struct sn_store *s, const char *kind, const char *key, void **data,
                      size_t *bytes)
{
    struct blob_call c = {.kind = kind, .key = key};
    int err = sn_sql_read(s, get, &c);
    if (!err && !c.found)
        return sn_sql_say(s, -ENOENT, "the store %s has no %s for %s", s->dir, kind, key);
    if (err) {
        free(c.found);
        return err;
    }
    *data = c.found;
    *bytes = c.found_bytes;
    return 0;
}

/* Once rows have been handed out, a busy store may not start over: WAL readers are never blocked
 * after their first row. */
static int each(struct sn_store *s, void *arg)
{
    struct blob_call *c = arg;
    sqlite3_stmt *stmt;
    int rc = sn_sql_prepare(s, "SELECT key, data FROM blob WHERE kind = ?1 ORDER BY key", &stmt);
    if (rc != SQLITE_OK)
        return rc;
    sn_sql_bind_text(stmt, 1, c->kind);
    while (!c->answer && sqlite3_step(stmt) == SQLITE_ROW)
        c->answer = c->fn(c->arg, (const char *)sqlite3_column_text(stmt, 0),
                          sqlite3_column_blob(stmt, 1), (size_t)sqlite3_column_bytes(stmt, 1));
    return sqlite3_finalize(stmt);
}

int sn_store_each_blob(struct sn_store *s, const char *kind,
                       int (*fn)(void *arg, const char *key, const void *data, size_t bytes),
                       void *arg)
{
    struct blob_call c = {.kind = kind, .fn = fn, .arg = arg};
    int err = sn_sql_read(s, each, &c);
    return err ? err : c.answer;
}
