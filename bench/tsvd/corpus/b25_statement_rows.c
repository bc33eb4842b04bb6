// BUG: sqlite3_step sqlite3_step
// PKG: sqlite3
#include <sqlite3.h>

#include "module.h"

static sqlite3_stmt *st;

static void *rows(void *id)
{
    for (int i = 0; i < 40; i++) {
        sqlite3_step(st);
        work(10);
    }
    return id;
}

int main(void)
{
    sqlite3 *db;
    sqlite3_open(":memory:", &db);
    sqlite3_prepare_v2(
        db, "with recursive c(x) as (select 1 union all select x+1 from c) select x from c", -1,
        &st, 0);
    all(2, rows);
    return 0;
}
