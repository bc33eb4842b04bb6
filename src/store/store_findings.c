/*
 * store_findings.c: findings in the store. Uniting happens in SQL, column by column, each the
 * larger of two by a total order (as in finding_unite.c), so that it does not matter who writes
 * first.
 */
#include "store/store.h"

#include <errno.h>

#include "store/store_findings.h"
#include "store/store_sql.h"
#include "store/xalloc.h"

/* What the store answers; it goes into the finding once all is written, so that a second try starts
 * from the same findings as the first. */
struct added {
    int64_t num, id, hits, first_run;
    bool schedule;
};

struct add_call {
    int64_t run, run_num;
    struct sn_findings *fs;
    struct added *added; /* one per finding */
    sqlite3_stmt *unite, *hit, *total;
};

static int prepare_add(struct sn_store *s, struct add_call *c)
{
    int rc =
        sn_sql_prepare(s,
                       "INSERT INTO finding"
                       "(key, id, status, engine, harmful, effect, schedule, weight, body)"
                       " VALUES(?1, (SELECT coalesce(max(id), 0) + 1 FROM finding),"
                       " ?2, ?3, ?4, ?5, ?6, ?7, ?8)" SN_SQL_UNITE " RETURNING num, id, schedule",
                       &c->unite);
    if (rc == SQLITE_OK)
        rc = sn_sql_prepare(s,
                            "INSERT INTO hit(finding, run, n) VALUES(?1, ?2, ?3)"
                            " ON CONFLICT(finding, run) DO UPDATE SET n = n + excluded.n",
                            &c->hit);
    if (rc == SQLITE_OK)
        rc = sn_sql_prepare(s,
                            "SELECT sum(hit.n), min(run.n) FROM hit JOIN run ON run.num = hit.run"
                            " WHERE hit.finding = ?1",
                            &c->total);
    return rc;
}

static int unite_one(struct add_call *c, const struct sn_finding *f, struct added *a)
{
    char *body = sn_finding_body(f);
    sn_sql_bind_text(c->unite, 1, f->key);
    sqlite3_bind_int(c->unite, 2, (int)f->status);
    sn_sql_bind_text(c->unite, 3, f->engine);
    sqlite3_bind_int(c->unite, 4, f->harmful);
    sn_sql_bind_text(c->unite, 5, f->effect);
    sqlite3_bind_int(c->unite, 6, f->has_schedule);
    sqlite3_bind_int64(c->unite, 7, sn_finding_weight(f));
    sn_sql_bind_text(c->unite, 8, body);
    if (sqlite3_step(c->unite) == SQLITE_ROW) {
        a->num = sqlite3_column_int64(c->unite, 0);
        a->id = sqlite3_column_int64(c->unite, 1);
        a->schedule = sqlite3_column_int(c->unite, 2) != 0;
        sqlite3_step(c->unite);
    }
    free(body);
    return sqlite3_reset(c->unite);
}

static int count_hits(struct add_call *c, const struct sn_finding *f, const struct added *a)
{
    sqlite3_bind_int64(c->hit, 1, a->num);
    sqlite3_bind_int64(c->hit, 2, c->run_num);
    sqlite3_bind_int64(c->hit, 3, f->hits > 0 ? f->hits : 1);
    sqlite3_step(c->hit);
    return sqlite3_reset(c->hit);
}

static int read_total(struct add_call *c, struct added *a)
{
    sqlite3_bind_int64(c->total, 1, a->num);
    if (sqlite3_step(c->total) == SQLITE_ROW) {
        a->hits = sqlite3_column_int64(c->total, 0);
        a->first_run = sqlite3_column_int64(c->total, 1);
    }
    return sqlite3_reset(c->total);
}

static int add_rows(struct add_call *c)
{
    int rc = SQLITE_OK;
    for (size_t i = 0; rc == SQLITE_OK && i < c->fs->n; i++) {
        rc = unite_one(c, &c->fs->f[i], &c->added[i]);
        if (rc == SQLITE_OK)
            rc = count_hits(c, &c->fs->f[i], &c->added[i]);
        if (rc == SQLITE_OK)
            rc = read_total(c, &c->added[i]);
    }
    return rc;
}

static int add_all(struct sn_store *s, void *arg)
{
    struct add_call *c = arg;
    int rc = sn_store_run_row(s, c->run, &c->run_num);
    if (rc != SQLITE_OK || !c->run_num)
        return rc;
    c->unite = c->hit = c->total = NULL;
    rc = prepare_add(s, c);
    if (rc == SQLITE_OK)
        rc = add_rows(c);
    sqlite3_finalize(c->unite);
    sqlite3_finalize(c->hit);
    sqlite3_finalize(c->total);
    return rc;
}

static void take_answers(struct sn_findings *fs, const struct added *added)
{
    for (size_t i = 0; i < fs->n; i++) {
        fs->f[i].id = added[i].id;
        fs->f[i].hits = added[i].hits;
        fs->f[i].first_run = added[i].first_run;
        fs->f[i].has_schedule = added[i].schedule;
    }
}

int sn_store_add(struct sn_store *s, int64_t run, struct sn_findings *fs)
{
    sn_findings_unite(fs);
    struct add_call c = {.run = run, .fs = fs, .added = sn_xcalloc(fs->n, sizeof *c.added)};
    int err = sn_sql_write(s, add_all, &c);
    if (!err && !c.run_num)
        err =
            sn_sql_say(s, -ENOENT, "there is no run %lld in the store %s", (long long)run, s->dir);
    if (!err)
        take_answers(fs, c.added);
    free(c.added);
    return err;
}

#define SELECT                                                                                     \
    "SELECT f.body, f.key, f.id, f.status, f.engine, f.harmful, f.effect, f.schedule,"             \
    " (SELECT sum(n) FROM hit WHERE finding = f.num),"                                             \
    " (SELECT min(run.n) FROM hit JOIN run ON run.num = hit.run WHERE finding = f.num)"            \
    " FROM finding f"

static int read_row(sqlite3_stmt *stmt, struct sn_finding *f)
{
    json_t *j = json_loads((const char *)sqlite3_column_text(stmt, 0), 0, NULL);
    int err = j ? sn_finding_from_json(j, f) : -EBADMSG;
    json_decref(j);
    if (err)
        return SQLITE_CORRUPT;
    f->key = sn_sql_text(stmt, 1);
    f->id = sqlite3_column_int64(stmt, 2);
    f->status = (enum sn_status)sqlite3_column_int(stmt, 3);
    f->engine = sn_sql_text(stmt, 4);
    f->harmful = sqlite3_column_int(stmt, 5);
    f->effect = sn_sql_text(stmt, 6);
    f->has_schedule = sqlite3_column_int(stmt, 7) != 0;
    f->hits = sqlite3_column_int64(stmt, 8);
    f->first_run = sqlite3_column_int64(stmt, 9);
    return (unsigned)f->status < SN_STATUS_COUNT ? SQLITE_OK : SQLITE_CORRUPT;
}

static int read_rows(sqlite3_stmt *stmt, struct sn_findings *out)
{
    int rc = SQLITE_OK;
    while (rc == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW)
        rc = read_row(stmt, sn_findings_add(out));
    int end = sqlite3_finalize(stmt);
    return rc == SQLITE_OK ? end : rc;
}

static int read_all(struct sn_store *s, void *arg)
{
    struct sn_findings *out = arg;
    sqlite3_stmt *stmt;
    sn_findings_free(out);
    int rc = sn_sql_prepare(s, SELECT " ORDER BY f.id", &stmt);
    return rc == SQLITE_OK ? read_rows(stmt, out) : rc;
}

int sn_store_all(struct sn_store *s, struct sn_findings *out)
{
    *out = (struct sn_findings){0};
    int err = sn_sql_read(s, read_all, out);
    if (err)
        sn_findings_free(out);
    return err;
}

struct get_call {
    int64_t id;
    struct sn_findings found;
};

static int read_one(struct sn_store *s, void *arg)
{
    struct get_call *c = arg;
    sqlite3_stmt *stmt;
    sn_findings_free(&c->found);
    int rc = sn_sql_prepare(s, SELECT " WHERE f.id = ?1", &stmt);
    if (rc != SQLITE_OK)
        return rc;
    sqlite3_bind_int64(stmt, 1, c->id);
    return read_rows(stmt, &c->found);
}

struct campaign_call {
    const unsigned char *campaign;
    int64_t planned_ns;
    struct sn_findings *out;
    bool *is_new;
};

static int read_new(struct sn_store *s, struct campaign_call *c)
{
    sqlite3_stmt *stmt;
    int rc = sn_sql_prepare(s,
                            "SELECT count(*) FROM hit JOIN run ON run.num = hit.run"
                            " JOIN finding f ON f.num = hit.finding WHERE f.id = ?3"
                            " AND substr(run.uid, 1, 8) <> ?1 AND run.started_ns < ?2",
                            &stmt);
    for (size_t i = 0; rc == SQLITE_OK && i < c->out->n; i++) {
        sqlite3_bind_blob(stmt, 1, c->campaign, 8, SQLITE_STATIC);
        sqlite3_bind_int64(stmt, 2, c->planned_ns);
        sqlite3_bind_int64(stmt, 3, c->out->f[i].id);
        if (sqlite3_step(stmt) == SQLITE_ROW)
            c->is_new[i] = sqlite3_column_int64(stmt, 0) == 0;
        rc = sqlite3_reset(stmt);
    }
    int end = sqlite3_finalize(stmt);
    return rc == SQLITE_OK ? end : rc;
}

static int read_campaign(struct sn_store *s, void *arg)
{
    struct campaign_call *c = arg;
    sqlite3_stmt *stmt;
    sn_findings_free(c->out);
    int rc = sn_sql_prepare(s,
                            SELECT " WHERE EXISTS (SELECT 1 FROM hit JOIN run ON run.num = hit.run"
                                   " WHERE hit.finding = f.num AND substr(run.uid, 1, 8) = ?1)"
                                   " ORDER BY f.id",
                            &stmt);
    if (rc != SQLITE_OK)
        return rc;
    sqlite3_bind_blob(stmt, 1, c->campaign, 8, SQLITE_STATIC);
    rc = read_rows(stmt, c->out);
    free(c->is_new);
    c->is_new = sn_xcalloc(c->out->n, sizeof *c->is_new);
    return rc == SQLITE_OK ? read_new(s, c) : rc;
}

int sn_store_of_campaign(struct sn_store *s, const unsigned char campaign[8], int64_t planned_ns,
                         struct sn_findings *out, bool **is_new)
{
    struct campaign_call c = {.campaign = campaign, .planned_ns = planned_ns, .out = out};
    *out = (struct sn_findings){0};
    int err = sn_sql_read(s, read_campaign, &c);
    if (err) {
        sn_findings_free(out);
        free(c.is_new);
        return err;
    }
    *is_new = c.is_new;
    return 0;
}

static int no_finding(struct sn_store *s, int64_t id)
{
    return sn_sql_say(s, -ENOENT,
                      "there is no finding %lld in the store %s: `snag list` shows them",
                      (long long)id, s->dir);
}

int sn_store_get(struct sn_store *s, int64_t id, struct sn_finding *out)
{
    struct get_call c = {.id = id};
    int err = sn_sql_read(s, read_one, &c);
    if (!err && !c.found.n)
        err = no_finding(s, id);
    if (!err) {
        *out = c.found.f[0];
        c.found.n = 0;
    }
    sn_findings_free(&c.found);
    return err;
}

struct status_call {
    int64_t id;
    enum sn_status status;
    int harmful;
    const char *effect;
    int changed;
};

/* The engine stays the one that found it. */
static int write_status(struct sn_store *s, void *arg)
{
    struct status_call *c = arg;
    sqlite3_stmt *stmt;
    int rc =
        sn_sql_prepare(s,
                       "UPDATE finding SET status = max(status, ?2),"
                       " effect = CASE WHEN (?3, ?4) > (harmful, effect) THEN ?4 ELSE effect END,"
                       " harmful = max(harmful, ?3) WHERE id = ?1",
                       &stmt);
    if (rc != SQLITE_OK)
        return rc;
    sqlite3_bind_int64(stmt, 1, c->id);
    sqlite3_bind_int(stmt, 2, (int)c->status);
    sqlite3_bind_int(stmt, 3, c->harmful);
    sn_sql_bind_text(stmt, 4, c->effect);
    sqlite3_step(stmt);
    c->changed = sqlite3_changes(s->db);
    return sqlite3_finalize(stmt);
}

int sn_store_set_status(struct sn_store *s, int64_t id, enum sn_status st, int harmful,
                        const char *effect)
{
    struct status_call c = {.id = id, .status = st, .harmful = harmful, .effect = effect};
    int err = sn_sql_write(s, write_status, &c);
    return !err && !c.changed ? no_finding(s, id) : err;
}
