/*
 * store.c: opening and closing the store, runs.
 */
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "store/schema.h"
#include "store/store_sql.h"
#include "store/unit_id.h"
#include "store/xalloc.h"

#define UID_BYTES 16

/* mkdir -p: `--store out/nightly` should just work. */
static int make_folders(const char *dir)
{
    char *path = sn_xstrdup(dir);
    int err = 0;
    for (char *p = path + 1; !err && *p; p++) {
        if (*p != '/')
            continue;
        *p = '\0';
        if (mkdir(path, 0777) && errno != EEXIST)
            err = -errno;
        *p = '/';
    }
    if (!err && mkdir(path, 0777) && errno != EEXIST)
        err = -errno;
    free(path);
    return err;
}

static int find_file(struct sn_store *s)
{
    struct stat st;
    if (s->mode == SN_STORE_WRITE) {
        int err = make_folders(s->dir);
        if (!err && stat(s->dir, &st) == 0 && !S_ISDIR(st.st_mode))
            err = -ENOTDIR;
        if (err)
            return sn_sql_say(s, err,
                              "cannot make the folder %s for the store: %s: choose another one "
                              "with --store, or use --no-store",
                              s->dir, strerror(-err));
        return 0;
    }
    if (stat(s->path, &st) == 0)
        return 0;
    int err = -errno;
    if (err == -ENOENT || err == -ENOTDIR)
        return sn_sql_say(s, -ENOENT,
                          "there is no store in %s: run `snag race ./program` first, or "
                          "name the folder with --store",
                          s->dir);
    return sn_sql_say(s, err, "cannot read the store %s: %s", s->path, strerror(-err));
}

static int wait_for_others(void *arg, int count)
{
    (void)count;
    return sn_sql_wait(arg);
}

static int open_file(struct sn_store *s, const char *options)
{
    int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI;
    flags |= s->mode == SN_STORE_READ ? SQLITE_OPEN_READONLY
                                      : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    char *uri = sn_sql_uri(s->path, options);
    sqlite3_close(s->db);
    s->db = NULL;
    int rc = sqlite3_open_v2(uri, &s->db, flags, NULL);
    free(uri);
    if (rc != SQLITE_OK)
        return sn_sql_fail(s, rc);
    sqlite3_busy_handler(s->db, wait_for_others, s);
    return 0;
}

/* A file system that cannot share memory between processes keeps the older journal: that works too.
 */
static int set_journal(struct sn_store *s, void *arg)
{
    (void)arg;
    int rc = sn_sql_run(s, "PRAGMA journal_mode = WAL");
    return rc == SQLITE_OK ? sn_sql_run(s, "PRAGMA synchronous = NORMAL") : rc;
}

static bool has_log(struct sn_store *s)
{
    struct stat st;
    char *log = sn_xformat("%s-wal", s->path);
    bool has = !stat(log, &st) && st.st_size > 0;
    free(log);
    return has;
}

/* A store on read-only media cannot have the shared memory file that WAL needs. It cannot change
 * either, unless a write-ahead log is waiting beside it. */
static bool may_be_immutable(struct sn_store *s, int err)
{
    if (s->mode != SN_STORE_READ ||
        (err != -EROFS && err != -EACCES && err != -EIO && err != -EPERM))
        return false;
    return !has_log(s) && !access(s->path, R_OK) && access(s->dir, W_OK);
}

static int open_all(struct sn_store *s)
{
    int err = find_file(s);
    if (!err)
        err = open_file(s, s->mode == SN_STORE_READ ? "mode=ro" : "mode=rwc");
    if (!err && s->mode == SN_STORE_WRITE)
        err = sn_sql_read(s, set_journal, NULL);
    if (!err)
        err = sn_schema_open(s);
    if (err && may_be_immutable(s, err)) {
        s->immutable = true;
        err = open_file(s, "mode=ro&immutable=1");
        if (!err)
            err = sn_schema_open(s);
    }
    return err;
}

int sn_store_open(const char *dir, enum sn_store_mode mode, struct sn_store **out, char **why)
{
    struct sn_store *s = sn_xcalloc(1, sizeof *s);
    s->mode = mode;
    s->dir = sn_xstrdup(dir);
    s->path = sn_xformat("%s/snag.db", dir);
    s->random = (uint32_t)getpid() * 2654435761u;
    int err = open_all(s);
    if (!err) {
        *out = s;
        return 0;
    }
    if (why)
        *why = sn_xstrdup(sn_store_error(s));
    sn_store_close(s);
    return err;
}

void sn_store_close(struct sn_store *s)
{
    if (!s)
        return;
    sqlite3_close(s->db);
    free(s->dir);
    free(s->path);
    free(s->error);
    free(s->runs);
    free(s);
}

const char *sn_store_error(struct sn_store *s)
{
    return s->error ? s->error : "no error";
}

/* Leaving WAL mode writes the log back; the next writer enters it again. */
static int leave_journal(struct sn_store *s, void *arg)
{
    (void)arg;
    return sn_sql_run(s, "PRAGMA journal_mode = DELETE");
}

int sn_store_settle(struct sn_store *s)
{
    return sn_sql_read(s, leave_journal, NULL);
}

struct run_call {
    const char *command, *engine;
    int64_t n, num, started_ns;
    int status;
    double seconds;
    unsigned char uid[UID_BYTES];
};

static int64_t wall_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* In a unit of a campaign, the run's place in the plan is its identity. */
static int date_by_plan(struct sn_store *s, struct run_call *c)
{
    const struct sn_unit_id *unit = sn_unit_id();
    int64_t before = 0;
    int rc = unit ? sn_sql_number(s, "SELECT count(*) FROM run", &before) : SQLITE_OK;
    if (unit && rc == SQLITE_OK)
        sn_unit_run(unit, (uint32_t)before + 1, c->uid, &c->started_ns);
    return rc;
}

static int begin_run(struct sn_store *s, void *arg)
{
    struct run_call *c = arg;
    sqlite3_stmt *stmt;
    int rc = date_by_plan(s, c);
    if (rc != SQLITE_OK)
        return rc;
    rc = sn_sql_prepare(s,
                        "INSERT INTO run(uid, n, command, engine, started_ns)"
                        " VALUES(?1, (SELECT coalesce(max(n), 0) + 1 FROM run), ?2, ?3, ?4)"
                        " RETURNING num, n",
                        &stmt);
    if (rc != SQLITE_OK)
        return rc;
    sqlite3_bind_blob(stmt, 1, c->uid, UID_BYTES, SQLITE_STATIC);
    sn_sql_bind_text(stmt, 2, c->command);
    sn_sql_bind_text(stmt, 3, c->engine);
    sqlite3_bind_int64(stmt, 4, c->started_ns);
    if (sqlite3_step(stmt) == SQLITE_ROW) {
        c->num = sqlite3_column_int64(stmt, 0);
        c->n = sqlite3_column_int64(stmt, 1);
        sqlite3_step(stmt);
    }
    return sqlite3_finalize(stmt);
}

/* The disk is not waited for before the program has even begun: after a power failure the row may
 * be missing, and nothing else. What follows in the log is written back only when all of the log is
 * on the disk. A log that is begun anew over an older one, though, must say so on the disk first.
 */
static int write_begin(struct sn_store *s, struct run_call *c)
{
    bool later = !has_log(s) && sn_sql_run(s, "PRAGMA synchronous = OFF") == SQLITE_OK;
    int err = sn_sql_write(s, begin_run, c);
    if (later && sn_sql_run(s, "PRAGMA synchronous = NORMAL") != SQLITE_OK && !err)
        err = sn_sql_fail(s, SQLITE_ERROR);
    return err;
}

int sn_store_run_begin(struct sn_store *s, const char *command, const char *engine, int64_t *run)
{
    struct run_call c = {.command = command, .engine = engine, .started_ns = wall_ns()};
    if (getrandom(c.uid, UID_BYTES, 0) != UID_BYTES)
        return sn_sql_say(s, -EIO, "the system gives no random numbers");
    int err = write_begin(s, &c);
    if (err)
        return err;
    s->runs = sn_xgrow(s->runs, s->nruns, &s->cap_runs, sizeof *s->runs);
    s->runs[s->nruns++] = (struct sn_store_run){c.n, c.num};
    *run = c.n;
    return 0;
}

static int end_run(struct sn_store *s, void *arg)
{
    struct run_call *c = arg;
    sqlite3_stmt *stmt;
    int rc = sn_store_run_row(s, c->n, &c->num);
    if (rc != SQLITE_OK)
        return rc;
    rc = sn_sql_prepare(s, "UPDATE run SET ended = 1, status = ?2, seconds = ?3 WHERE num = ?1",
                        &stmt);
    if (rc != SQLITE_OK)
        return rc;
    sqlite3_bind_int64(stmt, 1, c->num);
    sqlite3_bind_int(stmt, 2, c->status);
    sqlite3_bind_double(stmt, 3, c->seconds);
    sqlite3_step(stmt);
    return sqlite3_finalize(stmt);
}

int sn_store_run_end(struct sn_store *s, int64_t run, int status, double seconds)
{
    struct run_call c = {.n = run, .status = status, .seconds = seconds};
    int err = sn_sql_write(s, end_run, &c);
    if (!err && !c.num)
        return sn_sql_say(s, -ENOENT, "there is no run %lld in the store %s", (long long)run,
                          s->dir);
    return err;
}

int sn_store_run_row(struct sn_store *s, int64_t n, int64_t *num)
{
    for (size_t i = 0; i < s->nruns; i++) {
        if (s->runs[i].n == n) {
            *num = s->runs[i].num;
            return SQLITE_OK;
        }
    }
    char *sql = sn_xformat("SELECT num FROM run WHERE n = %lld", (long long)n);
    *num = 0;
    int rc = sn_sql_number(s, sql, num);
    free(sql);
    return rc;
}

static int count_runs(struct sn_store *s, void *arg)
{
    return sn_sql_number(s, "SELECT count(*) FROM run", arg);
}

int sn_store_runs(struct sn_store *s, int64_t *n)
{
    *n = 0;
    return sn_sql_read(s, count_runs, n);
}
