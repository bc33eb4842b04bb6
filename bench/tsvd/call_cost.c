/*
 * call_cost.c: what a call under a contract costs: threads that each call functions of several
 * libraries on objects of their own. Prints nanoseconds of processor time per call, a line per
 * function; a library that is not installed is left out. bench/tsvd/call_cost compares.
 *
 *     call_cost THREADS CALLS
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_THREADS = 64 };

static long calls;

static double cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void *function(const char *library, const char *name)
{
    void *h = dlopen(library, RTLD_NOW);
    return h ? dlsym(h, name) : 0;
}

/* The simplest: the object is an argument. */
static void random_numbers(void)
{
    struct random_data data;
    char state[128];
    int32_t number;
    memset(&data, 0, sizeof data);
    initstate_r(1, state, sizeof state, &data);
    for (long i = 0; i < calls; i++)
        random_r(&data, &number);
}

static void *(*hash_new)(void *, void *), *(*hash_lookup)(void *, const void *);

static void hash_lookups(void)
{
    void *h = hash_new(0, 0);
    for (long i = 0; i < calls; i++)
        hash_lookup(h, "x");
}

static int (*sqlite_open)(const char *, void **), (*sqlite_step)(void *),
    (*sqlite_column)(void *, int);
static int (*sqlite_prepare)(void *, const char *, int, void **, void *);

/* Four rules, three of which depend on a mode. */
static void sqlite_columns(void)
{
    void *db, *statement;
    sqlite_open(":memory:", &db);
    sqlite_prepare(db, "select 1", -1, &statement, 0);
    sqlite_step(statement);
    for (long i = 0; i < calls; i++)
        sqlite_column(statement, 0);
}

static void *(*lua_new)(void);
static void (*lua_settop)(void *, int);

/* The object is a field of the argument. */
static void lua_calls(void)
{
    void *l = lua_new();
    for (long i = 0; i < calls; i++)
        lua_settop(l, 0);
}

static void *(*digest_new)(void), *(*digest_type)(void);
static int (*digest_init)(void *, void *, void *), (*digest_update)(void *, const void *, size_t);

static void digests(void)
{
    void *c = digest_new();
    digest_init(c, digest_type(), 0);
    for (long i = 0; i < calls; i++)
        digest_update(c, "x", 1);
}

static void *(*string_new)(const char *);
static char *(*string_free)(void *, int);

/* A new object every time, and its end. */
static void strings(void)
{
    for (long i = 0; i < calls; i++)
        string_free(string_new("x"), 1);
}

static size_t (*loop_size)(void);
static int (*loop_init)(void *), (*loop_run)(void *, int);

/* A call that has its object until it returns. */
static void loops(void)
{
    void *l = calloc(1, loop_size());
    loop_init(l);
    for (long i = 0; i < calls; i++)
        loop_run(l, 2);
}

static struct {
    const char *name;
    void (*run)(void);
    int there;
    double ns[MAX_THREADS];
} cases[] = {
    {"random_r (libc)", random_numbers, 1, {0}},
    {"g_hash_table_lookup (GLib)", hash_lookups, 0, {0}},
    {"sqlite3_column_int (SQLite)", sqlite_columns, 0, {0}},
    {"lua_settop (Lua)", lua_calls, 0, {0}},
    {"EVP_DigestUpdate (OpenSSL)", digests, 0, {0}},
    {"g_string_new, g_string_free (GLib)", strings, 0, {0}},
    {"uv_run (libuv)", loops, 0, {0}},
};
enum { CASES = sizeof cases / sizeof *cases };

static void find_functions(void)
{
    hash_new = function("libglib-2.0.so.0", "g_hash_table_new");
    hash_lookup = function("libglib-2.0.so.0", "g_hash_table_lookup");
    sqlite_open = function("libsqlite3.so.0", "sqlite3_open");
    sqlite_prepare = function("libsqlite3.so.0", "sqlite3_prepare_v2");
    sqlite_step = function("libsqlite3.so.0", "sqlite3_step");
    sqlite_column = function("libsqlite3.so.0", "sqlite3_column_int");
    lua_new = function("liblua5.4.so.0", "luaL_newstate");
    lua_settop = function("liblua5.4.so.0", "lua_settop");
    digest_new = function("libcrypto.so.3", "EVP_MD_CTX_new");
    digest_type = function("libcrypto.so.3", "EVP_sha256");
    digest_init = function("libcrypto.so.3", "EVP_DigestInit_ex");
    digest_update = function("libcrypto.so.3", "EVP_DigestUpdate");
    string_new = function("libglib-2.0.so.0", "g_string_new");
    string_free = function("libglib-2.0.so.0", "g_string_free");
    loop_size = function("libuv.so.1", "uv_loop_size");
    loop_init = function("libuv.so.1", "uv_loop_init");
    loop_run = function("libuv.so.1", "uv_run");
    cases[5].there = string_free != 0;
    cases[6].there = loop_run != 0;
    cases[1].there = hash_lookup != 0;
    cases[2].there = sqlite_column != 0;
    cases[3].there = lua_settop != 0;
    cases[4].there = digest_update != 0;
}

static void *work(void *number)
{
    for (int i = 0; i < CASES; i++) {
        if (!cases[i].there)
            continue;
        double begin = cpu_ns();
        cases[i].run();
        cases[i].ns[(intptr_t)number] = (cpu_ns() - begin) / (double)calls;
    }
    return 0;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1;
    pthread_t thread[MAX_THREADS];
    calls = argc > 2 ? atol(argv[2]) : 1000000;
    n = n < 1 ? 1 : n > MAX_THREADS ? MAX_THREADS : n;
    find_functions();
    for (intptr_t i = 0; i < n; i++)
        pthread_create(&thread[i], 0, work, (void *)i);
    for (int i = 0; i < n; i++)
        pthread_join(thread[i], 0);
    for (int i = 0; i < CASES; i++) {
        double sum = 0;
        for (int k = 0; k < n; k++)
            sum += cases[i].ns[k];
        if (cases[i].there)
            printf("%s\t%.1f\n", cases[i].name, sum / n);
    }
    return 0;
}
