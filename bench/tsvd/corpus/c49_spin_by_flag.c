// PKG: glib-2.0
// A spin lock made of an atomic flag: nobody but the program knows that it is a lock.
#include <glib.h>
#include <sched.h>
#include <stdatomic.h>

#include "module.h"

static atomic_flag busy = ATOMIC_FLAG_INIT;
static GHashTable *t;

static void *fill(void *id)
{
    for (int i = 0; i < 40; i++) {
        while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
            sched_yield();
        g_hash_table_insert(t, GINT_TO_POINTER(1 + i % 9), id);
        g_hash_table_remove(t, GINT_TO_POINTER(1 + (i + 3) % 9));
        atomic_flag_clear_explicit(&busy, memory_order_release);
        work(8);
    }
    return 0;
}

int main(void)
{
    t = g_hash_table_new(0, 0);
    all(3, fill);
    g_hash_table_destroy(t);
    return 0;
}
