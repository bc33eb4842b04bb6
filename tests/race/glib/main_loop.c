// A main loop calls functions in its own thread that others have given to it: they come after what was
// done before. In the bug the giver goes on to write.
// PACKAGE: gio-2.0
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global state
// PEER: tsan may-alarm: GLib is not instrumented
#include <gio/gio.h>
#include "invisible.h"

typedef struct {
    GSource source;
    int value;
} OwnSource;

static GMainContext *context;
static GMainLoop *loop;
static int state, sum, after_loop;

static gboolean prepare(GSource *source, int *timeout)
{
    *timeout = 0;
    return ((OwnSource *)source)->value > 0;
}

static gboolean check(GSource *source)
{
    return ((OwnSource *)source)->value > 0;
}

static gboolean dispatch(GSource *source, GSourceFunc f, gpointer data)
{
    sum += ((OwnSource *)source)->value;
    ((OwnSource *)source)->value = 0;
    return (void)f, (void)data, G_SOURCE_REMOVE;
}

static GSourceFuncs own_funcs = {prepare, check, dispatch, NULL, NULL, NULL};

static void attach_own(int value)
{
    GSource *s = g_source_new(&own_funcs, sizeof(OwnSource));
    ((OwnSource *)s)->value = value;
    g_source_attach(s, context);
    g_source_unref(s);
}

static gboolean idle(gpointer data)
{
    int *box = data;
    sum += *box;
    *box = 0;
    return G_SOURCE_REMOVE;
}

static gboolean tick(gpointer data)
{
    int *left = data;
    sum++;
    return --*left > 0;
}

static void drop(gpointer data)
{
    *(int *)data = -1;
    g_free(data);
}

static int *box_of(int value)
{
    int *box = g_new(int, 1);
    *box = value;
    return box;
}

static void work(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    int *box = data;
    *box += 1;
    (void)source, (void)cancellable;
    g_task_return_pointer(task, box_of(*box), g_free);
}

static void worked(GObject *source, GAsyncResult *result, gpointer data)
{
    int *box = g_task_propagate_pointer(G_TASK(result), NULL);
    sum += *box + *(int *)data;
    g_free(box);
    (void)source;
    g_main_loop_quit(loop);
}

static gboolean read_state(gpointer data)
{
    hidden_post(1);
    hidden_wait(0);
    sum += state; // RACE2
    return (void)data, G_SOURCE_REMOVE;
}

static gboolean start_task(gpointer data)
{
    GTask *task = g_task_new(NULL, NULL, worked, data);
    g_task_set_task_data(task, box_of(10), g_free);
    g_task_run_in_thread(task, work);
    g_object_unref(task);
    return G_SOURCE_REMOVE;
}

static gpointer run(gpointer arg)
{
    g_main_context_push_thread_default(context);
    g_main_loop_run(loop);
    g_main_context_pop_thread_default(context);
    return arg;
}

static void add(GSource *s, GSourceFunc f, gpointer data, GDestroyNotify notify)
{
    g_source_set_callback(s, f, data, notify);
    g_source_attach(s, context);
    g_source_unref(s);
}

static gboolean quit(gpointer data)
{
    after_loop = 5;
    g_main_loop_quit(data);
    return G_SOURCE_REMOVE;
}

static gpointer quit_later(gpointer data)
{
    int unused = 0;
    g_idle_add_full(G_PRIORITY_LOW, quit, data, NULL);
    return unused ? data : NULL;
}

int main(void)
{
    context = g_main_context_new();
    loop = g_main_loop_new(context, FALSE);
    GThread *t = g_thread_new("loop", run, NULL);
    attach_own(3);
    add(g_idle_source_new(), idle, box_of(1), drop);
    add(g_timeout_source_new(1), tick, box_of(3), drop);
    g_main_context_invoke_full(context, 0, idle, box_of(2), drop);
    FIX(state = 1;)
    g_main_context_invoke(context, read_state, NULL);
    hidden_wait(1);
    BUG(state = 1;) // RACE1
    hidden_post(0);
    int *data = box_of(100);
    g_main_context_invoke(context, start_task, data);
    g_thread_join(t);
    g_free(data);
    GMainLoop *own = g_main_loop_new(NULL, FALSE);
    t = g_thread_new("quit", quit_later, own);
    g_main_loop_run(own);
    sum += after_loop;
    g_thread_join(t);
    g_main_loop_unref(own);
    g_main_loop_unref(loop);
    g_main_context_unref(context);
    return sum < 100;
}
