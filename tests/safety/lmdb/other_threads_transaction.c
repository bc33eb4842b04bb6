// EXPECT: mdb_put mdb_txn_begin
// ALLOW: mdb_txn_abort mdb_txn_begin
// LIB: liblmdb.so.0
// A write transaction is used by a thread that did not begin it, though not at the same time.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "together.h"

struct value {
    size_t size;
    void *data;
};

int mdb_env_create(void **env);
int mdb_env_open(void *env, const char *path, unsigned flags, int mode);
void mdb_env_close(void *env);
int mdb_txn_begin(void *env, void *parent, unsigned flags, void **txn);
void mdb_txn_abort(void *txn);
int mdb_dbi_open(void *txn, const char *name, unsigned flags, unsigned *dbi);
int mdb_put(void *txn, unsigned dbi, struct value *key, struct value *data, unsigned flags);

static void *env;
static atomic_int done;

static void put(void *txn)
{
    struct value key = {1, "k"}, data = {1, "v"};
    unsigned dbi;
    if (!txn)
        mdb_txn_begin(env, 0, 0, &txn);
    mdb_dbi_open(txn, 0, 0, &dbi);
    mdb_put(txn, dbi, &key, &data, 0);
    mdb_txn_abort(txn);
}
// ALLOW: mdb_dbi_open mdb_txn_begin

static void *work(void *txn)
{
    put(txn);
    return 0;
}

int main(void)
{
    char folder[] = "/tmp/lmdbXXXXXX", path[64];
    void *txn = 0;
    pthread_t thread;
    mkdtemp(folder);
    mdb_env_create(&env);
    mdb_env_open(env, folder, 0, 0600);
#ifndef FIXED
    mdb_txn_begin(env, 0, 0, &txn);
#endif
    pthread_create(&thread, 0, work, txn);
    pthread_join(thread, 0);
    mdb_env_close(env);
    snprintf(path, sizeof path, "%s/data.mdb", folder), unlink(path);
    snprintf(path, sizeof path, "%s/lock.mdb", folder), unlink(path);
    rmdir(folder);
    puts("done");
    return 0;
}
