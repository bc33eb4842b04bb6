// PKG: glib-2.0
// As b34, with a lock for the array.
#include <glib.h>

#include "module.h"

static GPtrArray *a;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER, array_lock = PTHREAD_MUTEX_INITIALIZER;
static int lines;

static void log_line(void)
{
    LOCK(log_lock);
    lines++;
    UNLOCK(log_lock);
}

static void *fill(void *x)
{
    for (int i = 0; i < 25; i++) {
        log_line();
        LOCK(array_lock);
        g_ptr_array_add(a, &a);
        UNLOCK(array_lock);
        log_line();
        work(20);
    }
    return x;
}

static void *find(void *x)
{
    work(10);
    for (int i = 0; i < 25; i++) {
        LOCK(array_lock);
        g_ptr_array_find(a, x, 0);
        UNLOCK(array_lock);
        work(20);
    }
    return x;
}

int main(void)
{
    a = g_ptr_array_new();
    both(fill, find);
    return 0;
}
