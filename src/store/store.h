/*
 * store.h: .snag/snag.db, what snag remembers from run to run: runs, findings, and for later engines
 * traps, invariants, schedules. SQLite in WAL mode; every call is one transaction and retries while
 * other processes write. sqlite3.h stays inside this folder.
 */
#ifndef SN_STORE_STORE_H
#define SN_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/finding.h"

struct sn_store;

enum sn_store_mode { SN_STORE_READ, SN_STORE_WRITE }; /* WRITE makes the folder and file */

/* 0, or -errno with a sentence for the user in *why (malloc): unreadable, not a database, made by a
 * newer snag, disk full. dir is the folder (".snag"). */
int sn_store_open(const char *dir, enum sn_store_mode mode, struct sn_store **out, char **why);
void sn_store_close(struct sn_store *s);
const char *sn_store_error(struct sn_store *s); /* words for the last failed call */

/* A run begins: returns its number (from 1) in *run. command is the JSON array of the arguments. */
int sn_store_run_begin(struct sn_store *s, const char *command, const char *engine, int64_t *run);
int sn_store_run_end(struct sn_store *s, int64_t run, int status, double seconds);
int sn_store_runs(struct sn_store *s, int64_t *n); /* how many the store knows */

/* Unite by key: hits add up, the stronger status and the fuller record win; f->id, hits and
 * first_run are filled. All findings of a run go in one transaction. */
int sn_store_add(struct sn_store *s, int64_t run, struct sn_findings *fs);
int sn_store_all(struct sn_store *s, struct sn_findings *out);
int sn_store_get(struct sn_store *s, int64_t id, struct sn_finding *out); /* -ENOENT */
int sn_store_set_status(struct sn_store *s, int64_t id, enum sn_status st, int harmful,
                        const char *effect);

/* Opaque blobs by (kind, key), for engines: schedules, traps, invariants. Last writer wins; a merge
 * takes the newest, or unites sets (blob_kinds.def). */
int sn_store_put_blob(struct sn_store *s, const char *kind, const char *key, const void *data,
                      size_t bytes);
int sn_store_get_blob(struct sn_store *s, const char *kind, const char *key, void **data,
                      size_t *bytes); /* malloc; -ENOENT */
int sn_store_each_blob(struct sn_store *s, const char *kind,
                       int (*fn)(void *arg, const char *key, const void *data, size_t bytes),
                       void *arg);

/* Takes in all of another store. Commutative and idempotent: runs by their random uid, findings by
 * key, hits per run counted once, blobs as blob_kinds.def says. Runs and findings are numbered anew by
 * age and key, so that stores with the same content have the same numbers. All or nothing per store;
 * -EBADMSG for a damaged one, which then changed nothing. */
int sn_store_merge(struct sn_store *into, const char *other_dir, char **why);
/* The same for many, numbered once at the end. `failed` hears of every store that could not be taken
 * in; the others are. Returns the first error. */
int sn_store_merge_many(struct sn_store *into, const char *const *dirs, size_t n,
                        void (*failed)(void *arg, const char *dir, int err, const char *why),
                        void *arg);
/* Reads all of the file: -EBADMSG when it was half copied or damaged. */
int sn_store_check(struct sn_store *s);
/* One file afterwards, without a write-ahead log beside it, so that it can be moved and copied. */
int sn_store_settle(struct sn_store *s);

/* What the runs of one campaign (its 8 bytes) found, in the order of ids; is_new[i] says that no
 * other run before `planned_ns` has it. is_new is malloc. */
int sn_store_of_campaign(struct sn_store *s, const unsigned char campaign[8], int64_t planned_ns,
                         struct sn_findings *out, bool **is_new);

#endif
