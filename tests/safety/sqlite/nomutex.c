// EXPECT: sqlite3_exec sqlite3_exec
// PKG: sqlite3
// A connection without its mutex, used by two threads; with FIXED it has one.
#include <sqlite3.h>
#include <stdio.h>

#include "together.h"

#ifdef FIXED
#define MUTEX SQLITE_OPEN_FULLMUTEX
#else
#define MUTEX SQLITE_OPEN_NOMUTEX
#endif

static void *query(void *db)
{
    arrive();
    for (int i = 0; i < 300; i++)
        sqlite3_exec(db, "select 1", 0, 0, 0);
    return 0;
}

int main(void)
{
    sqlite3 *db;
    sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | MUTEX, 0);
    together(query, query, db);
    sqlite3_close(db);
    puts("done");
    return 0;
}
