/*
 * store_merge.c: taking in another store.
 *
 * Every column is the larger of two by a total order, every set is united by a key that means the
 * same in every store: a join semilattice, so order and repetition of merges do not matter. The
 * numbers that users see are then given anew from the content alone.
 */
#include "store/store.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/blob_unite.h"
#include "store/store_findings.h"
#include "store/store_sql.h"
#include "store/xalloc.h"

/* The same run twice: one that went on meanwhile, or a unit of a campaign that was run twice. */
static const char take_runs[] =
    "INSERT INTO run(uid, n, command, engine, started_ns, ended, status, seconds)"
    " SELECT uid, (SELECT coalesce(max(n), 0) FROM run) + row_number() OVER (ORDER BY n), command,"
    " engine, started_ns, ended, status, seconds FROM other.run WHERE true"
    " ON CONFLICT(uid) DO UPDATE SET"
    " status = CASE WHEN (excluded.ended, excluded.status) > (ended, status)"
    "   THEN excluded.status ELSE status END,"
    " seconds = CASE WHEN (excluded.ended, excluded.seconds) > (ended, seconds)"
    "   THEN excluded.seconds ELSE seconds END,"
    " command = max(command, excluded.command), engine = max(engine, excluded.engine),"
    " started_ns = min(started_ns, excluded.started_ns), ended = max(ended, excluded.ended)";

static const char take_findings[] =
    "INSERT INTO finding(key, id, status, engine, harmful, effect, schedule, weight, body)"
    " SELECT key, (SELECT coalesce(max(id), 0) FROM finding) + row_number() OVER (ORDER BY id),"
    " status, engine, harmful, effect, schedule, weight, body"
    " FROM other.finding WHERE true" SN_SQL_UNITE;

/* Hits of one run only ever grow, so the larger count is the later one. */
static const char take_hits[] =
    "INSERT INTO hit(finding, run, n) SELECT f.num, r.num, h.n FROM other.hit h"
    " JOIN other.finding theirs ON theirs.num = h.finding"
    " JOIN other.run their_run ON their_run.num = h.run"
    " JOIN finding f ON f.key = theirs.key JOIN run r ON r.uid = their_run.uid WHERE true"
    " ON CONFLICT(finding, run) DO UPDATE SET n = max(n, excluded.n)";

/* A new blob is united with itself, so that sets have one form from the first merge on. */
static const char take_blobs[] =
    "INSERT INTO blob(kind, key, changed_ns, data)"
    " SELECT kind, key, changed_ns, sn_unite(kind, changed_ns, data, changed_ns, data)"
    " FROM other.blob WHERE true"
    " ON CONFLICT(kind, key) DO UPDATE SET"
    " data = sn_unite(kind, changed_ns, data, excluded.changed_ns, excluded.data),"
    " changed_ns = max(changed_ns, excluded.changed_ns)";

static const char number_runs[] =
    "UPDATE run SET n = o.k FROM (SELECT num, row_number() OVER (ORDER BY started_ns, uid) AS k"
    " FROM run) o WHERE o.num = run.num AND run.n <> o.k";

static const char number_findings[] =
    "UPDATE finding SET id = o.k FROM (SELECT f.num, row_number() OVER (ORDER BY coalesce((SELECT"
    " min(run.n) FROM hit JOIN run ON run.num = hit.run WHERE finding = f.num), 1 << 62), f.key) "
    "AS k"
    " FROM finding f) o WHERE o.num = finding.num AND finding.id <> o.k";

static int run_parts(struct sn_store *s, const char *const *parts, size_t n)
{
    int rc = SQLITE_OK;
    for (size_t i = 0; rc == SQLITE_OK && i < n; i++)
        rc = sn_sql_run(s, parts[i]);
    return rc;
}

/* New rows get the next free numbers, so that a merge that ends half-way leaves a good store. */
static int take_all(struct sn_store *s, void *arg)
{
    static const char *const parts[] = {take_runs, take_findings, take_hits, take_blobs};
    (void)arg;
    return run_parts(s, parts, sizeof parts / sizeof *parts);
}

static int number_all(struct sn_store *s, void *arg)
{
    static const char *const parts[] = {number_runs, number_findings};
    (void)arg;
    return run_parts(s, parts, sizeof parts / sizeof *parts);
}

/* A store that was half copied has a good first page; look at the rest before believing it. */
static int check_pages(struct sn_store *s, void *arg)
{
    (void)arg;
    sqlite3_stmt *stmt;
    int rc = sn_sql_prepare(s, "PRAGMA quick_check(1)", &stmt);
    if (rc != SQLITE_OK)
        return rc;
    const char *answer = NULL;
    if (sqlite3_step(stmt) == SQLITE_ROW)
        answer = (const char *)sqlite3_column_text(stmt, 0);
    bool good = answer && !strcmp(answer, "ok");
    rc = sqlite3_finalize(stmt);
    return rc == SQLITE_OK && !good ? SQLITE_CORRUPT : rc;
}

int sn_store_check(struct sn_store *s)
{
    return sn_sql_read(s, check_pages, NULL);
}

static int attach(struct sn_store *s, void *arg)
{
    sqlite3_stmt *stmt;
    int rc = sn_sql_prepare(s, "ATTACH ?1 AS other", &stmt);
    if (rc != SQLITE_OK)
        return rc;
    sn_sql_bind_text(stmt, 1, arg);
    sqlite3_step(stmt);
    return sqlite3_finalize(stmt);
}

static int know_unite(struct sn_store *s, void *arg)
{
    (void)arg;
    return sn_blob_unite_register(s);
}

static bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static int merge_open(struct sn_store *into, struct sn_store *other)
{
    int err = sn_store_check(other);
    if (err)
        return sn_sql_say(into, err, "%s", sn_store_error(other));
    char *uri = sn_sql_uri(other->path, other->immutable ? "mode=ro&immutable=1" : "mode=ro");
    err = sn_sql_read(into, attach, uri);
    free(uri);
    if (err)
        return err;
    err = sn_sql_read(into, know_unite, NULL);
    if (!err)
        err = sn_sql_write(into, take_all, NULL);
    sn_sql_run(into, "DETACH other");
    return err;
}

static int merge_one(struct sn_store *into, const char *dir, char **why)
{
    struct sn_store *other;
    int err = sn_store_open(dir, SN_STORE_READ, &other, why);
    if (err)
        return err;
    if (!same_file(into->path, other->path))
        err = merge_open(into, other);
    if (err)
        *why = sn_xstrdup(sn_store_error(into));
    sn_store_close(other);
    return err;
}

int sn_store_merge_many(struct sn_store *into, const char *const *dirs, size_t n,
                        void (*failed)(void *arg, const char *dir, int err, const char *why),
                        void *arg)
{
    int first = 0;
    for (size_t i = 0; i < n; i++) {
        char *why = NULL;
        int err = merge_one(into, dirs[i], &why);
        if (err)
            failed(arg, dirs[i], err, why);
        first = first ? first : err;
        free(why);
    }
    int err = sn_sql_write(into, number_all, NULL);
    return err ? err : first;
}

static void keep_why(void *arg, const char *dir, int err, const char *why)
{
    (void)dir, (void)err;
    *(char **)arg = sn_xstrdup(why);
}

int sn_store_merge(struct sn_store *into, const char *other_dir, char **why)
{
    char *words = NULL;
    int err = sn_store_merge_many(into, &other_dir, 1, keep_why, &words);
    if (err && why)
        *why = words ? words : sn_xstrdup(sn_store_error(into));
    else
        free(words);
    return err;
}
