// PKG: sqlite3
#include <sqlite3.h>

#include "module.h"

static sqlite3 *db;

static void *rows(void *id)
{
    sqlite3_stmt *st;
    sqlite3_prepare_v2(db, "select 1", -1, &st, 0);
    for (int i = 0; i < 40; i++) {
        sqlite3_step(st);
        sqlite3_column_int(st, 0);
        sqlite3_reset(st);
        work(10);
    }
    sqlite3_finalize(st);
    return id;
}

int main(void)
{
    sqlite3_open(":memory:", &db);
    all(3, rows);
    sqlite3_close(db);
    return 0;
}
