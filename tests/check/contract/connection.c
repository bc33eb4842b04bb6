// A connection opened without its mutex, and a statement made from it, belong to one thread at a time.
// EXPECT: thread-safety-violation EXEC STEP
#include "../twin.h"

typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;
int sqlite3_open_v2(const char *name, sqlite3 **db, int flags, const char *vfs);
int sqlite3_prepare_v2(sqlite3 *db, const char *sql, int n, sqlite3_stmt **out, const char **tail);
int sqlite3_exec(sqlite3 *db, const char *sql, void *callback, void *arg, char **error);
int sqlite3_step(sqlite3_stmt *s);

static sqlite3 *db;
static sqlite3_stmt *statement;

static void *exec(void *arg)
{
    sqlite3_exec(db, "delete from t", NULL, NULL, NULL); // EXEC
    return arg;
}

static void *step(void *arg)
{
    sqlite3_step(statement); // STEP
    return arg;
}

int main(void)
{
    sqlite3_open_v2("file", &db, 2 | PICK(0x8000, 0x10000), NULL);
    sqlite3_prepare_v2(db, "select 1", -1, &statement, NULL);
    run_two(exec, step);
    return 0;
}
