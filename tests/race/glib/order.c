// The order in which GMutexes are taken, seen without the deadlock.
// PACKAGE: glib-2.0
// EXPECT: lock-order ORDER1 ORDER2
// PEER: tsan misses: GLib is not instrumented
#include <glib.h>
#include "invisible.h"

static GMutex a, b;

static void take(GMutex *x, GMutex *y)
{
    g_mutex_lock(x);
    g_mutex_lock(y);
    g_mutex_unlock(y);
    g_mutex_unlock(x);
}

static gpointer first(gpointer arg)
{
    g_mutex_lock(&a);
    g_mutex_lock(&b); // ORDER1
    g_mutex_unlock(&b);
    g_mutex_unlock(&a);
    hidden_post(0);
    return arg;
}

int main(void)
{
    GThread *t = g_thread_new("t", first, NULL);
    hidden_wait(0);
    FIX(take(&a, &b);)
    BUG(g_mutex_lock(&b);)
    BUG(g_mutex_lock(&a);) // ORDER2
    BUG(g_mutex_unlock(&a);)
    BUG(g_mutex_unlock(&b);)
    g_thread_join(t);
    return (void)take, 0;
}
