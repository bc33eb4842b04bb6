// PKG: sqlite3
// As b37 with a statement for every worker.
#include <sqlite3.h>

#include "module.h"

static sqlite3 *db;

static void *measure(void *id)
{
    sqlite3_stmt *own;
    sqlite3_prepare_v2(db, "insert into t values(?, ?)", -1, &own, 0);
    for (int i = 0; i < 30; i++) {
        work(12);
        sqlite3_bind_int(own, 1, (int)(intptr_t)id);
        sqlite3_bind_int(own, 2, i);
        sqlite3_step(own);
        sqlite3_reset(own);
    }
    sqlite3_finalize(own);
    return 0;
}

int main(void)
{
    sqlite3_open(":memory:", &db);
    sqlite3_exec(db, "create table t(id, value)", 0, 0, 0);
    all(3, measure);
    sqlite3_close(db);
    return 0;
}
