// PKG: sqlite3
#include <sqlite3.h>

#include "module.h"

static void *query(void *id)
{
    sqlite3 *db;
    sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, 0);
    for (int i = 0; i < 40; i++) {
        sqlite3_exec(db, "select 1", 0, 0, 0);
        work(10);
    }
    sqlite3_close(db);
    return id;
}

int main(void)
{
    all(3, query);
    return 0;
}
