/*
 * call_cost.c: what a call under a contract costs: threads that each call functions of several
 * libraries on objects of their own, and the functions of kinds.so, one for every kind of rule.
 * Prints nanoseconds of processor time per call, a line per function; a library that is not there
 * is left out. bench/tsvd/call_cost compares.
 *
 *     call_cost THREADS CALLS [NAME]   NAME: only cases that begin with it
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

static void *(*ssl_method)(void), *(*ssl_context)(void *), *(*ssl_new)(void *);
static int (*ssl_read)(void *, void *, int);

/* The same in OpenSSL. No connection: it fails at once. */
static void ssl_reads(void)
{
    char to[16];
    void *s = ssl_new(ssl_context(ssl_method()));
    for (long i = 0; i < calls; i++)
        ssl_read(s, to, sizeof to);
}

/* ---- kinds.so: a function for every kind of rule ---- */

struct thing {
    long mode;
    struct thing *root;
};
struct large {
    long a[4];
};

static void (*k_read)(void *), (*k_write)(void *), (*k_destroy)(void *), (*k_pointer)(void *),
    (*k_hidden)(void *), (*k_send)(void *), (*k_receive)(void *), (*k_set)(void *),
    (*k_freeze)(void *), (*k_only)(void *), (*k_disown)(void *), (*k_begin)(void *),
    (*k_end)(void *), (*k_acquire)(void *), (*k_release)(void *), (*k_by_mark)(void *),
    (*k_by_field)(void *), (*k_by_asking)(void *), (*k_by_asking_far)(void *), (*k_by_call)(void *), (*k_part)(void *),
    (*k_member)(void *), (*k_long)(void *), (*k_long_two)(void *, void *),
    (*k_own)(void **, void *), (*k_mark)(void **, void *);
static int (*k_varargs)(void *, ...);
static struct large (*k_struct)(void *);

#define EACH_CALL(name, call)                                                                      \
    static void name(void)                                                                         \
    {                                                                                              \
        struct thing root = {1, 0}, x = {1, &root}, *made = &x;                                    \
        (void)made;                                                                                \
        for (long i = 0; i < calls; i++)                                                           \
            call;                                                                                  \
    }

EACH_CALL(kind_read, k_read(&x))
EACH_CALL(kind_write, k_write(&x))
EACH_CALL(kind_destroy, k_destroy(&x))
EACH_CALL(kind_pointer, k_pointer(&made))
EACH_CALL(kind_hidden, k_hidden(&x))
EACH_CALL(kind_role, (k_send(&x), k_receive(&x)))
EACH_CALL(kind_set, k_set(&x))
EACH_CALL(kind_freeze, k_freeze(&x))
EACH_CALL(kind_own, (k_own((void **)&made, &x), k_only(&x), k_disown(&x), made = 0))
EACH_CALL(kind_span, (k_begin(&x), k_end(&x)))
EACH_CALL(kind_lock, (k_acquire(&x), k_release(&x)))
EACH_CALL(kind_mark, (k_mark((void **)&made, &root), k_by_mark(&root), made = 0))
EACH_CALL(kind_field, k_by_field(&x))
EACH_CALL(kind_asking, k_by_asking(&x))
EACH_CALL(kind_asking_far, k_by_asking_far(&x))
EACH_CALL(kind_call, k_by_call(&x))
EACH_CALL(kind_part, k_part(&x))
EACH_CALL(kind_member, k_member(&x))
EACH_CALL(kind_long, k_long(&x))
EACH_CALL(kind_long_two, k_long_two(&x, &root))
EACH_CALL(kind_varargs, k_varargs(&x, 2.0))
EACH_CALL(kind_struct, k_struct(&x))

static struct {
    const char *name, *library; /* library: of the functions; null: libc */
    void (*run)(void);
    int per; /* calls each time */
    struct {
        const char *name;
        void *function; /* address of the pointer to it */
    } needs[5];
    int there;
    double ns[MAX_THREADS];
} cases[] = {
#define NEEDS(...)                                                                                 \
    {__VA_ARGS__}, 0,                                                                              \
    {                                                                                              \
        0                                                                                          \
    }
    {"random_r (libc)", 0, random_numbers, 1, NEEDS({0, 0})},
    {"g_hash_table_lookup (GLib)", "libglib-2.0.so.0", hash_lookups, 1,
     NEEDS({"g_hash_table_new", &hash_new}, {"g_hash_table_lookup", &hash_lookup})},
    {"sqlite3_column_int (SQLite)", "libsqlite3.so.0", sqlite_columns, 1,
     NEEDS({"sqlite3_open", &sqlite_open}, {"sqlite3_prepare_v2", &sqlite_prepare},
           {"sqlite3_step", &sqlite_step}, {"sqlite3_column_int", &sqlite_column})},
    {"lua_settop (Lua)", "liblua5.4.so.0", lua_calls, 1,
     NEEDS({"luaL_newstate", &lua_new}, {"lua_settop", &lua_settop})},
    {"EVP_DigestUpdate (OpenSSL)", "libcrypto.so.3", digests, 1,
     NEEDS({"EVP_MD_CTX_new", &digest_new}, {"EVP_sha256", &digest_type},
           {"EVP_DigestInit_ex", &digest_init}, {"EVP_DigestUpdate", &digest_update})},
    {"g_string_new, g_string_free (GLib)", "libglib-2.0.so.0", strings, 2,
     NEEDS({"g_string_new", &string_new}, {"g_string_free", &string_free})},
    {"uv_run (libuv), long", "libuv.so.1", loops, 1,
     NEEDS({"uv_loop_size", &loop_size}, {"uv_loop_init", &loop_init}, {"uv_run", &loop_run})},
    {"SSL_read (OpenSSL), long", "libssl.so.3", ssl_reads, 1,
     NEEDS({"TLS_client_method", &ssl_method}, {"SSL_CTX_new", &ssl_context}, {"SSL_new", &ssl_new},
           {"SSL_read", &ssl_read})},
#define KIND(name, run, per, ...)                                                                  \
    {                                                                                              \
        name, "kinds.so", run, per, NEEDS(__VA_ARGS__)                                             \
    }
    KIND("read", kind_read, 1, {"kinds_read", &k_read}),
    KIND("write", kind_write, 1, {"kinds_write", &k_write}),
    KIND("destroy", kind_destroy, 1, {"kinds_destroy", &k_destroy}),
    KIND("write behind a pointer", kind_pointer, 1, {"kinds_pointer", &k_pointer}),
    KIND("hidden state", kind_hidden, 1, {"kinds_hidden", &k_hidden}),
    KIND("roles", kind_role, 2, {"kinds_send", &k_send}, {"kinds_receive", &k_receive}),
    KIND("set", kind_set, 1, {"kinds_set", &k_set}),
    KIND("freeze", kind_freeze, 1, {"kinds_freeze", &k_freeze}),
    KIND("own, only, destroy", kind_own, 3, {"kinds_own", &k_own}, {"kinds_only", &k_only},
         {"kinds_disown", &k_disown}),
    KIND("begin, end of a span", kind_span, 2, {"kinds_begin", &k_begin}, {"kinds_end", &k_end}),
    KIND("acquire, release", kind_lock, 2, {"kinds_acquire", &k_acquire},
         {"kinds_release", &k_release}),
    KIND("mark, mode by mark", kind_mark, 2, {"kinds_mark", &k_mark},
         {"kinds_by_mark", &k_by_mark}),
    KIND("mode by field", kind_field, 1, {"kinds_by_field", &k_by_field}),
    KIND("mode by asking the object", kind_asking, 1, {"kinds_by_asking", &k_by_asking}),
    KIND("mode by asking, which calls", kind_asking_far, 1,
         {"kinds_by_asking_far", &k_by_asking_far}),
    KIND("mode by one call", kind_call, 1, {"kinds_by_call", &k_by_call}),
    KIND("root by load", kind_part, 1, {"kinds_part", &k_part}),
    KIND("root by call", kind_member, 1, {"kinds_member", &k_member}),
    KIND("long", kind_long, 1, {"kinds_long", &k_long}),
    KIND("long, two objects", kind_long_two, 1, {"kinds_long_two", &k_long_two}),
    KIND("varargs", kind_varargs, 1, {"kinds_varargs", &k_varargs}),
    KIND("struct returned", kind_struct, 1, {"kinds_struct", &k_struct}),
};
enum { CASES = sizeof cases / sizeof *cases };

static void find_functions(void)
{
    for (int i = 0; i < CASES; i++) {
        cases[i].there = 1;
        for (int k = 0; k < 5 && cases[i].needs[k].name; k++) {
            void *f = function(cases[i].library, cases[i].needs[k].name);
            memcpy(cases[i].needs[k].function, &f, sizeof f);
            cases[i].there &= f != 0;
        }
    }
}

static void *work(void *number)
{
    for (int i = 0; i < CASES; i++) {
        if (!cases[i].there)
            continue;
        double begin = cpu_ns();
        cases[i].run();
        cases[i].ns[(intptr_t)number] = (cpu_ns() - begin) / (double)calls / cases[i].per;
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
    for (int i = 0; i < CASES && argc > 3; i++)
        cases[i].there &= strncmp(cases[i].name, argv[3], strlen(argv[3])) == 0;
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
