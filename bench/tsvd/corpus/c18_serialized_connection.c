// PKG: sqlite3
#include <sqlite3.h>

#include "module.h"

static sqlite3 *db;

static void *query(void *id)
{
    for (int i = 0; i < 40; i++) {
        sqlite3_exec(db, "select 1", 0, 0, 0);
        work(10);
    }
    return id;
}

int main(void)
{
    sqlite3_open(":memory:", &db);
    all(3, query);
    sqlite3_close(db);
    return 0;
}
