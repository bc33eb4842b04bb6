// GMutex, GCond and bit locks are futexes inside GLib, which is not instrumented. They are locks like
// any other: in the bug one thread uses another mutex, and the report says which it held.
// PACKAGE: glib-2.0
// EXPECT: data-race RACE1/write RACE2/write
// EXPECT-OBJECT: global count
// EXPECT-LOCKS: RACE1 mutex.p
// EXPECT-LOCKS: RACE2 other.p
// PEER: tsan may-alarm: GLib is not instrumented
#include <glib.h>
#include "invisible.h"

static GMutex mutex;
BUG(static GMutex other;)
static GCond cond;
static int count, guarded, bits, tried, full, slot;
static gint bit_word;

static void fill(void)
{
    g_mutex_lock(&mutex);
    while (full)
        g_cond_wait(&cond, &mutex);
    slot = 7;
    full = 1;
    g_cond_broadcast(&cond);
    g_mutex_unlock(&mutex);
}

static void empty(void)
{
    g_mutex_lock(&mutex);
    while (!full)
        g_cond_wait_until(&cond, &mutex, g_get_monotonic_time() + 60 * G_TIME_SPAN_SECOND);
    slot = 0;
    full = 0;
    g_cond_broadcast(&cond);
    g_mutex_unlock(&mutex);
}

static void exclude(void)
{
    for (int i = 0; i < 200; i++) {
        g_mutex_lock(&mutex);
        guarded++;
        g_mutex_unlock(&mutex);
        g_bit_lock(&bit_word, 3);
        bits++;
        g_bit_unlock(&bit_word, 3);
        if (g_mutex_trylock(&mutex)) {
            tried++;
            g_mutex_unlock(&mutex);
        }
    }
}

static gpointer first(gpointer arg)
{
    exclude();
    for (int i = 0; i < 20; i++)
        fill();
    hidden_meet(1, 2);
    g_mutex_lock(&mutex);
    count++; // RACE1
    g_mutex_unlock(&mutex);
    hidden_post(0);
    return arg;
}

static gpointer second(gpointer arg)
{
    exclude();
    for (int i = 0; i < 20; i++)
        empty();
    hidden_meet(1, 2);
    hidden_wait(0);
    g_mutex_lock(PICK(&other, &mutex));
    count++; // RACE2
    g_mutex_unlock(PICK(&other, &mutex));
    return arg;
}

int main(void)
{
    GThread *a = g_thread_new("a", first, NULL), *b = g_thread_new("b", second, NULL);
    g_thread_join(a);
    g_thread_join(b);
    return guarded != 400 || bits != 400 || count != 2;
}
