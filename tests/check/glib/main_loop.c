// Events of the main loop run in its thread; a worker must hand over, not write.
// EXPECT: data-race WORKER/write EVENT
#include "../twin.h"

typedef struct _GThread GThread;
typedef union { void *p; unsigned i[2]; } GMutex;
extern GThread *g_thread_new(const char *name, void *(*func)(void *), void *data);
extern void *g_thread_join(GThread *thread);
extern void g_mutex_lock(GMutex *mutex);
extern void g_mutex_unlock(GMutex *mutex);

typedef struct _GMainLoop GMainLoop;
extern GMainLoop *g_main_loop_new(void *context, int is_running);
extern void g_main_loop_run(GMainLoop *loop);
extern void g_main_loop_quit(GMainLoop *loop);
extern unsigned g_idle_add(int (*func)(void *), void *data);
extern unsigned g_timeout_add(unsigned ms, int (*func)(void *), void *data);

static GMainLoop *loop;
static int shown, ticks;

static int show(void *data)
{
    shown += (int)(long)data; // EVENT
    return 0;
}

static int tick(void *data)
{
    (void)data;
    shown++; // EVENT
    if (++ticks < 3)
        return 1;
    g_main_loop_quit(loop);
    return 0;
}

static void *work(void *arg)
{
    BUG(shown = 10); // WORKER
    FIX(g_idle_add(show, (void *)10L));
    return arg;
}

int main(void)
{
    loop = g_main_loop_new(NULL, 0);
    g_timeout_add(10, tick, NULL);
    g_idle_add(show, (void *)1L);
    GThread *t = g_thread_new("worker", work, NULL);
    g_main_loop_run(loop);
    g_thread_join(t);
    return shown;
}
