/*
 * store_sql.h: inside src/store only: the open store, transactions, statements, SQLite's errors as
 * errno and words.
 */
#ifndef SN_STORE_STORE_SQL_H
#define SN_STORE_STORE_SQL_H

#include <sqlite3.h>

#include "store/store.h"

struct sn_store_run {
    int64_t n;   /* the number that the caller knows; a merge may give the row another one */
    int64_t num; /* the row; never changes */
};

struct sn_store {
    sqlite3 *db;
    char *dir, *path;
    char *error;
    enum sn_store_mode mode;
    bool immutable;            /* read-only media: opened without locks */
    struct sn_store_run *runs; /* begun through this handle */
    size_t nruns, cap_runs;
    uint64_t busy_since_ns; /* when the present wait began; 0: not waiting */
    uint32_t random;        /* of the waits */
};

/* Sets the store's words for a failed SQLite call and returns -errno. */
int sn_sql_fail(struct sn_store *s, int rc);
/* Sets the words only. */
int sn_sql_say(struct sn_store *s, int err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Runs `body` in one write transaction; all of it again while others keep the store busy. body
 * returns SQLite's code. Rolled back unless it gives SQLITE_OK or SQLITE_DONE. */
int sn_sql_write(struct sn_store *s, int (*body)(struct sn_store *s, void *arg), void *arg);
/* The same for reads, without a transaction of its own. */
int sn_sql_read(struct sn_store *s, int (*body)(struct sn_store *s, void *arg), void *arg);
/* Lets other processes go first for a moment. False once that has taken too long. */
bool sn_sql_wait(struct sn_store *s);

/* The row of run number n, 0 when there is none. SQLite's code. */
int sn_store_run_row(struct sn_store *s, int64_t n, int64_t *num);

int sn_sql_prepare(struct sn_store *s, const char *sql, sqlite3_stmt **out); /* SQLite's code */
int sn_sql_run(struct sn_store *s, const char *sql);                         /* SQLite's code */
/* One number; *out stays as it is when there is no row. SQLite's code. */
int sn_sql_number(struct sn_store *s, const char *sql, int64_t *out);
void sn_sql_bind_text(sqlite3_stmt *stmt, int at, const char *text); /* null is the empty text */
char *sn_sql_text(sqlite3_stmt *stmt, int column);                   /* malloc; null when empty */
/* file: URI of a path, for options such as mode=ro. malloc. */
char *sn_sql_uri(const char *path, const char *options);

#endif
