// A GHashTable may be read by many threads, but a writer needs it for itself.
// EXPECT: thread-safety-violation INSERT LOOKUP
#include "../twin.h"

typedef struct _GHashTable GHashTable;
GHashTable *g_hash_table_new(void *hash, void *equal);
int g_hash_table_insert(GHashTable *t, void *key, void *value);
void *g_hash_table_lookup(GHashTable *t, const void *key);

static GHashTable *table, *other;

static void *insert(void *arg)
{
    FIX(LOCK());
    g_hash_table_insert(table, &table, NULL); // INSERT
    FIX(UNLOCK());
    g_hash_table_insert(other, &table, NULL);
    return arg;
}

static void *lookup(void *arg)
{
    FIX(LOCK());
    g_hash_table_lookup(table, &table); // LOOKUP
    FIX(UNLOCK());
    return arg;
}

int main(void)
{
    table = g_hash_table_new(NULL, NULL);
    other = g_hash_table_new(NULL, NULL);
    g_hash_table_insert(table, &other, NULL);
    run_two(insert, lookup);
    return 0;
}
