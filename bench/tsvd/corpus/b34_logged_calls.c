// BUG: g_ptr_array_add g_ptr_array_find
// PKG: glib-2.0
// Every call is logged before and after, and the log has a lock; the array has none.
#include <glib.h>

#include "module.h"

static GPtrArray *a;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static int lines;

/* A string of the thread's own. */
static GString *own_name(const char *what)
{
    GString *s = g_string_new("thread ");
    return g_string_append(s, what);
}

static void log_line(void)
{
    LOCK(log_lock);
    lines++;
    UNLOCK(log_lock);
}

static void *fill(void *x)
{
    GString *name = own_name("fill");
    for (int i = 0; i < 25; i++) {
        log_line();
        g_ptr_array_add(a, &a);
        log_line();
        work(20);
    }
    g_string_free(name, TRUE);
    return x;
}

static void *find(void *x)
{
    GString *name = own_name("find");
    work(10);
    for (int i = 0; i < 25; i++) {
        log_line();
        g_ptr_array_find(a, x, 0);
        log_line();
        work(20);
    }
    g_string_free(name, TRUE);
    return x;
}

int main(void)
{
    a = g_ptr_array_new();
    both(fill, find);
    return 0;
}
