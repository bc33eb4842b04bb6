// GLib's threads and mutexes.
// EXPECT: data-race WORK/write WORK
#include "../twin.h"

typedef struct _GThread GThread;
typedef union { void *p; unsigned i[2]; } GMutex;
extern GThread *g_thread_new(const char *name, void *(*func)(void *), void *data);
extern void *g_thread_join(GThread *thread);
extern void g_mutex_lock(GMutex *mutex);
extern void g_mutex_unlock(GMutex *mutex);

static GMutex mutex;
static int n;

static void *work(void *arg)
{
    FIX(g_mutex_lock(&mutex));
    n++; // WORK
    FIX(g_mutex_unlock(&mutex));
    return arg;
}

int main(void)
{
    GThread *a = g_thread_new("a", work, NULL), *b = g_thread_new("b", work, NULL);
    g_thread_join(a);
    g_thread_join(b);
    return n;
}
