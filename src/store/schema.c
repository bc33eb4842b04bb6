/*
 * schema.c: the tables of snag.db, version 1.
 *
 * Rows have a `num` that stays theirs; what users see (run.n, finding.id) can be given anew, so
 * that merged stores number alike whatever the order of merging. Hits are kept per finding and run,
 * and a run carries a random uid: merging the same run twice counts it once.
 */
#include "store/schema.h"

#include <errno.h>

#define APPLICATION_ID 0x736e6167 /* "snag", so that file(1) and we know whose file it is */

static const char version_1[] =
    "CREATE TABLE run(num INTEGER PRIMARY KEY, uid BLOB NOT NULL UNIQUE, n INTEGER NOT NULL,"
    " command TEXT NOT NULL, engine TEXT NOT NULL, started_ns INTEGER NOT NULL,"
    " ended INTEGER NOT NULL DEFAULT 0, status INTEGER NOT NULL DEFAULT 0,"
    " seconds REAL NOT NULL DEFAULT 0);"
    "CREATE INDEX run_n ON run(n);"
    /* Absent texts are empty, so that row values compare without nulls. */
    "CREATE TABLE finding(num INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, id INTEGER NOT NULL,"
    " status INTEGER NOT NULL, engine TEXT NOT NULL, harmful INTEGER NOT NULL,"
    " effect TEXT NOT NULL, schedule INTEGER NOT NULL, weight INTEGER NOT NULL,"
    " body TEXT NOT NULL);"
    "CREATE INDEX finding_id ON finding(id);"
    "CREATE TABLE hit(finding INTEGER NOT NULL, run INTEGER NOT NULL, n INTEGER NOT NULL,"
    " PRIMARY KEY(finding, run)) WITHOUT ROWID;"
    "CREATE TABLE blob(kind TEXT NOT NULL, key TEXT NOT NULL, changed_ns INTEGER NOT NULL,"
    " data BLOB NOT NULL, PRIMARY KEY(kind, key));";

struct state {
    int64_t version, application, tables;
};

/* Another process may make the store between two of these: all that is looked at after its tables,
 * or its version, is there with them. */
static int look(struct sn_store *s, void *arg)
{
    struct state *st = arg;
    int rc = sn_sql_number(s, "SELECT count(*) FROM sqlite_master", &st->tables);
    if (rc == SQLITE_OK)
        rc = sn_sql_number(s, "PRAGMA user_version", &st->version);
    if (rc == SQLITE_OK)
        rc = sn_sql_number(s, "PRAGMA application_id", &st->application);
    return rc;
}

/* Many processes may find an empty file at once: look again under the write lock. */
static int make(struct sn_store *s, void *arg)
{
    struct state *st = arg;
    int rc = look(s, st);
    if (rc != SQLITE_OK || st->version || st->tables)
        return rc;
    rc = sn_sql_run(s, version_1);
    if (rc == SQLITE_OK)
        rc = sn_sql_run(s, "PRAGMA application_id = 0x736e6167; PRAGMA user_version = 1");
    return rc == SQLITE_OK ? look(s, st) : rc;
}

int sn_schema_open(struct sn_store *s)
{
    struct state st = {0};
    int err = sn_sql_read(s, look, &st);
    if (!err && !st.version && !st.tables) {
        if (s->mode == SN_STORE_READ)
            return sn_sql_say(s, -ENOENT,
                              "the store %s is empty: no run has been recorded in it yet", s->dir);
        err = sn_sql_write(s, make, &st);
    }
    if (err)
        return err;
    if (st.application != APPLICATION_ID)
        return sn_sql_say(s, -EBADMSG,
                          "%s is a database of another program: choose another folder with --store",
                          s->path);
    if (st.version > SN_SCHEMA_VERSION)
        return sn_sql_say(s, -ENOTSUP,
                          "%s was made by a newer snag (version %lld of the store; this snag knows "
                          "up to %d): update snag, or choose another folder with --store",
                          s->path, (long long)st.version, SN_SCHEMA_VERSION);
    return 0;
}
