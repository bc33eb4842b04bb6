// Two threads take two GMutexes in different orders, and wait for each other.
// PACKAGE: glib-2.0
// EXPECT: deadlock DEAD1 DEAD2
// PEER: tsan misses: GLib is not instrumented
#include <glib.h>
#include "invisible.h"

static GMutex a, b;

static gpointer first(gpointer arg)
{
    g_mutex_lock(&a);
    BUG(hidden_meet(0, 2);)
    g_mutex_lock(&b); // DEAD1
    g_mutex_unlock(&b);
    g_mutex_unlock(&a);
    return arg;
}

static gpointer second(gpointer arg)
{
    g_mutex_lock(PICK(&b, &a));
    BUG(hidden_meet(0, 2);)
    g_mutex_lock(PICK(&a, &b)); // DEAD2
    g_mutex_unlock(PICK(&a, &b));
    g_mutex_unlock(PICK(&b, &a));
    return arg;
}

int main(void)
{
    GThread *t = g_thread_new("t", first, NULL);
    second(NULL);
    g_thread_join(t);
    return 0;
}
