// A queue hands objects over; the sender must not touch them afterwards.
// EXPECT: data-race LATE/write TAKE
#include "../twin.h"

typedef struct _GThread GThread;
typedef union { void *p; unsigned i[2]; } GMutex;
extern GThread *g_thread_new(const char *name, void *(*func)(void *), void *data);
extern void *g_thread_join(GThread *thread);
extern void g_mutex_lock(GMutex *mutex);
extern void g_mutex_unlock(GMutex *mutex);

typedef struct _GAsyncQueue GAsyncQueue;
extern GAsyncQueue *g_async_queue_new(void);
extern void g_async_queue_push(GAsyncQueue *queue, void *data);
extern void *g_async_queue_pop(GAsyncQueue *queue);

static GAsyncQueue *queue;
static int item, seen;

static void *consumer(void *arg)
{
    int *p = g_async_queue_pop(queue);
    seen = *p; // TAKE
    return arg;
}

int main(void)
{
    queue = g_async_queue_new();
    GThread *t = g_thread_new("consumer", consumer, NULL);
    item = 1;
    g_async_queue_push(queue, &item);
    BUG(item = 2); // LATE
    g_thread_join(t);
    return seen;
}
