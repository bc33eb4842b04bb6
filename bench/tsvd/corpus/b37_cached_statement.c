// BUG: sqlite3_* sqlite3_*
// PKG: sqlite3
// The insert statement is prepared once, and every worker binds and steps it. The connection is
// serialized, so each single call is safe; who resets and who steps at the same time is not.
#include <sqlite3.h>

#include "module.h"

static sqlite3 *db;
static sqlite3_stmt *cached;

static void store(int id, int value)
{
    sqlite3_bind_int(cached, 1, id);
    sqlite3_bind_int(cached, 2, value);
    sqlite3_step(cached);
    sqlite3_reset(cached);
}

static void *measure(void *id)
{
    for (int i = 0; i < 30; i++) {
        work(12);
        store((int)(intptr_t)id, i);
    }
    return 0;
}

int main(void)
{
    sqlite3_open(":memory:", &db);
    sqlite3_exec(db, "create table t(id, value)", 0, 0, 0);
    sqlite3_prepare_v2(db, "insert into t values(?, ?)", -1, &cached, 0);
    all(3, measure);
    sqlite3_finalize(cached);
    sqlite3_close(db);
    return 0;
}
