/*
 * store_sql.c: transactions that wait for other writers, and SQLite's errors in words.
 *
 * A write begins with BEGIN IMMEDIATE: the lock is taken before anything is read, so a transaction
 * never has to be given up half-way. Waiting is random and short, so that 200 processes share the
 * store without convoys; it ends after WAIT_LIMIT_S, which only a process stopped in the middle of
 * a write can use up.
 */
#include "store/store_sql.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "store/xalloc.h"

#define WAIT_LIMIT_S 120

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

bool sn_sql_wait(struct sn_store *s)
{
    uint64_t now = now_ns();
    if (!s->busy_since_ns)
        s->busy_since_ns = now;
    if (now - s->busy_since_ns > WAIT_LIMIT_S * 1000000000ull)
        return false;
    s->random = s->random * 1664525u + 1013904223u;
    usleep(500 + (s->random >> 16) % 8000);
    return true;
}

static bool is_busy(int rc)
{
    rc &= 0xff;
    return rc == SQLITE_BUSY || rc == SQLITE_LOCKED || rc == SQLITE_PROTOCOL;
}

int sn_sql_say(struct sn_store *s, int err, const char *format, ...)
{
    va_list args;
    char *text = NULL;
    va_start(args, format);
    int n = vasprintf(&text, format, args);
    va_end(args);
    free(s->error);
    s->error = n < 0 ? NULL : text;
    return err;
}

static int fail_io(struct sn_store *s, int rc)
{
    int sys = sqlite3_system_errno(s->db);
    return sn_sql_say(s, sys ? -sys : -EIO,
                      "cannot read or write %s: %s: check the disk, or choose "
                      "another folder with --store",
                      s->path, sys ? strerror(sys) : sqlite3_errstr(rc));
}

/* SQLite takes no longer ones, and says only that it cannot open them. */
static bool path_is_too_long(const struct sn_store *s)
{
    enum { MOST = 512 - sizeof "-journal" };
    char *whole = realpath(s->dir, NULL);
    bool long_one = whole && strlen(whole) + sizeof "/snag.db" > MOST;
    free(whole);
    return long_one;
}

static int fail_open(struct sn_store *s)
{
    int sys = sqlite3_system_errno(s->db);
    if (path_is_too_long(s))
        return sn_sql_say(
            s, -ENAMETOOLONG,
            "the path of the store %s is too long, some 500 bytes are the limit: choose "
            "another folder with --store",
            s->path);
    if (!sys)
        sys = access(s->path, F_OK) ? errno : EACCES;
    return sn_sql_say(s, -sys,
                      "cannot open the store %s: %s: check its permissions, or choose "
                      "another folder with --store",
                      s->path, strerror(sys));
}

int sn_sql_fail(struct sn_store *s, int rc)
{
    switch (rc & 0xff) {
    case SQLITE_FULL:
        return sn_sql_say(s, -ENOSPC,
                          "the disk with the store %s is full: free some space, or choose "
                          "another folder with --store",
                          s->path);
    case SQLITE_IOERR:
        return fail_io(s, rc);
    case SQLITE_CANTOPEN:
        return fail_open(s);
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return sn_sql_say(s, -EROFS,
                          "the store %s cannot be written: check its permissions and its "
                          "folder's, or choose another folder with --store",
                          s->path);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return sn_sql_say(s, -EBADMSG,
                          "the store %s is damaged or is not snag's: move it away (mv %s "
                          "%s.damaged) and run again",
                          s->path, s->dir, s->dir);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
        return sn_sql_say(s, -EBUSY,
                          "other processes kept the store %s busy for %d seconds: is one of "
                          "them stopped? (fuser %s)",
                          s->path, WAIT_LIMIT_S, s->path);
    case SQLITE_NOMEM:
        return sn_sql_say(s, -ENOMEM, "out of memory while using the store %s", s->path);
    default:
        return sn_sql_say(s, -EIO, "the store %s could not be used: %s", s->path,
                          sqlite3_errmsg(s->db));
    }
}

/* SQLite knows a full disk by ENOSPC alone; quotas and limits on file sizes are no better for the
 * user, and show only in errno. */
static int known_full(int rc)
{
    bool full = errno == ENOSPC || errno == EDQUOT || errno == EFBIG;
    return (rc & 0xff) == SQLITE_IOERR && full ? SQLITE_FULL : rc;
}

static int again_while_busy(struct sn_store *s, int (*body)(struct sn_store *s, void *arg),
                            void *arg)
{
    int rc;
    s->busy_since_ns = 0;
    do {
        errno = 0;
        rc = known_full(body(s, arg));
    } while (is_busy(rc) && sn_sql_wait(s));
    s->busy_since_ns = 0;
    return rc == SQLITE_OK || rc == SQLITE_DONE ? 0 : sn_sql_fail(s, rc);
}

int sn_sql_read(struct sn_store *s, int (*body)(struct sn_store *s, void *arg), void *arg)
{
    return again_while_busy(s, body, arg);
}

struct write_call {
    int (*body)(struct sn_store *s, void *arg);
    void *arg;
};

static int write_once(struct sn_store *s, void *arg)
{
    struct write_call *w = arg;
    int rc = sn_sql_run(s, "BEGIN IMMEDIATE");
    if (rc != SQLITE_OK)
        return rc;
    rc = w->body(s, w->arg);
    if (rc == SQLITE_OK || rc == SQLITE_DONE)
        rc = sn_sql_run(s, "COMMIT");
    rc = known_full(rc);
    if (rc != SQLITE_OK && !sqlite3_get_autocommit(s->db))
        sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    return rc;
}

int sn_sql_write(struct sn_store *s, int (*body)(struct sn_store *s, void *arg), void *arg)
{
    struct write_call w = {body, arg};
    if (s->mode == SN_STORE_READ)
        return sn_sql_say(s, -EROFS, "the store %s was opened for reading", s->path);
    return again_while_busy(s, write_once, &w);
}

int sn_sql_prepare(struct sn_store *s, const char *sql, sqlite3_stmt **out)
{
    return sqlite3_prepare_v2(s->db, sql, -1, out, NULL);
}

int sn_sql_run(struct sn_store *s, const char *sql)
{
    return sqlite3_exec(s->db, sql, NULL, NULL, NULL);
}

int sn_sql_number(struct sn_store *s, const char *sql, int64_t *out)
{
    sqlite3_stmt *stmt;
    int rc = sn_sql_prepare(s, sql, &stmt);
    if (rc != SQLITE_OK)
        return rc;
    rc = sqlite3_step(stmt);
    if (rc == SQLITE_ROW)
        *out = sqlite3_column_int64(stmt, 0);
    int end = sqlite3_finalize(stmt);
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : end;
}

void sn_sql_bind_text(sqlite3_stmt *stmt, int at, const char *text)
{
    sqlite3_bind_text(stmt, at, text ? text : "", -1, SQLITE_TRANSIENT);
}

char *sn_sql_text(sqlite3_stmt *stmt, int column)
{
    const char *text = (const char *)sqlite3_column_text(stmt, column);
    return text && *text ? sn_xstrdup(text) : NULL;
}

char *sn_sql_uri(const char *path, const char *options)
{
    char *text;
    size_t bytes;
    FILE *out = sn_xcheck(open_memstream(&text, &bytes));
    fputs("file:", out);
    for (const unsigned char *p = (const unsigned char *)path; *p; p++) {
        if (*p == '%' || *p == '?' || *p == '#' || *p < 0x21)
            fprintf(out, "%%%02x", *p);
        else
            fputc(*p, out);
    }
    fprintf(out, "?%s", options);
    fclose(out);
    return text;
}
