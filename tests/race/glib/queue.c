// GAsyncQueue and GThreadPool: who gets an item comes after who gave it, and nothing else. In the bug
// the item is changed after it was given away.
// PACKAGE: glib-2.0
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: heap
// PEER: tsan may-alarm: GLib is not instrumented
#include <glib.h>
#include "invisible.h"

enum { ITEMS = 50 };
static GAsyncQueue *queue, *results;

static int by_value(gconstpointer a, gconstpointer b, gpointer data)
{
    return (void)data, *(const int *)a - *(const int *)b;
}

static gpointer produce(gpointer arg)
{
    for (int i = 0; i < ITEMS; i++) {
        int *item = g_new(int, 1);
        *item = i;
        g_async_queue_push(queue, item);
    }
    for (int i = 0; i < ITEMS; i++) {
        int *item = g_new(int, 1);
        *item = i;
        g_async_queue_push_sorted(queue, item, by_value, NULL);
    }
    return arg;
}

static void work(gpointer item, gpointer data)
{
    *(int *)item += 1;
    g_async_queue_push(data, item);
}

static int consume(GAsyncQueue *q, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        int *item = g_async_queue_pop(q);
        sum += *item;
        *item = -1;
        g_free(item);
    }
    return sum;
}

static gpointer give(gpointer arg)
{
    int *item = g_new(int, 1);
    FIX(*item = 1;)
    g_async_queue_push(queue, item);
    BUG(*item = 1;) // RACE1
    hidden_post(0);
    return arg;
}

int main(void)
{
    queue = g_async_queue_new();
    results = g_async_queue_new();
    GThread *p[2];
    for (int i = 0; i < 2; i++)
        p[i] = g_thread_new("p", produce, NULL);
    int sum = consume(queue, 4 * ITEMS);
    GThreadPool *pool = g_thread_pool_new(work, results, 3, FALSE, NULL);
    static int numbers[ITEMS], done[ITEMS];
    for (int i = 0; i < ITEMS; i++) {
        int *item = i % 2 ? &numbers[i] : g_new(int, 1);
        *item = 1;
        g_thread_pool_push(pool, i % 2 ? g_memdup2(item, sizeof *item) : item, NULL);
    }
    sum += consume(results, ITEMS);
    for (int i = 0; i < ITEMS; i++)
        g_thread_pool_push(pool, &done[i], NULL);
    g_thread_pool_free(pool, FALSE, TRUE);
    for (int i = 0; i < ITEMS; i++)
        sum += done[i];
    GThread *g = g_thread_new("g", give, NULL);
    int *item = g_async_queue_pop(queue);
    hidden_wait(0);
    sum += *item; // RACE2
    g_thread_join(g);
    for (int i = 0; i < 2; i++)
        g_thread_join(p[i]);
    g_free(item);
    return sum != 4 * (ITEMS - 1) * ITEMS / 2 + 2 * ITEMS + ITEMS + 1;
}
