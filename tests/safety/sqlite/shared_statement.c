// EXPECT: sqlite3_column_int sqlite3_step
// ALLOW: sqlite3_step sqlite3_step
// ALLOW: sqlite3_reset sqlite3_step
// ALLOW: sqlite3_reset sqlite3_reset
// ALLOW: sqlite3_column_int sqlite3_reset
// PKG: sqlite3
// Serialized mode keeps the connection whole, but the row belongs to whoever steps.
#include <sqlite3.h>
#include <stdio.h>

#include "together.h"

static void *rows(void *stmt)
{
    arrive();
    for (int i = 0; i < 2000; i++) {
        LOCK;
        if (sqlite3_step(stmt) == SQLITE_ROW)
            sqlite3_column_int(stmt, 0);
        sqlite3_reset(stmt);
        UNLOCK;
    }
    return 0;
}

int main(void)
{
    sqlite3 *db;
    sqlite3_stmt *stmt;
    sqlite3_open(":memory:", &db);
    sqlite3_prepare_v2(db, "select 1", -1, &stmt, 0);
    together(rows, rows, stmt);
    sqlite3_finalize(stmt);
    sqlite3_close(db);
    puts("done");
    return 0;
}
