// GIO calls back in the thread that runs the main loop, here another one than the caller's. In the bug the
// caller goes on to write.
// PACKAGE: gio-2.0
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: heap
// PEER: tsan may-alarm: GIO is not instrumented
#include <gio/gio.h>
#include "invisible.h"

struct request {
    GMainLoop *loop;
    char buffer[4];
    int value, read;
};

static void was_read(GObject *stream, GAsyncResult *result, gpointer data)
{
    struct request *r = data;
    hidden_wait(0);
    r->read = r->value; // RACE2
    r->read += (int)g_input_stream_read_finish(G_INPUT_STREAM(stream), result, NULL);
    g_main_loop_quit(r->loop);
}

static void opened(GObject *file, GAsyncResult *result, gpointer data)
{
    struct request *r = data;
    GFileInputStream *s = g_file_read_finish(G_FILE(file), result, NULL);
    hidden_post(1);
    g_input_stream_read_async(G_INPUT_STREAM(s), r->buffer, 4, 0, NULL, was_read, r);
    g_object_unref(s);
}

static gpointer request(gpointer data)
{
    struct request *r = g_new0(struct request, 1);
    GFile *f = g_file_new_for_path("/proc/self/status");
    r->loop = data;
    FIX(r->value = 1;)
    g_file_read_async(f, 0, NULL, opened, r);
    g_object_unref(f);
    hidden_wait(1);
    BUG(r->value = 1;) // RACE1
    hidden_post(0);
    return r;
}

int main(void)
{
    GMainLoop *loop = g_main_loop_new(NULL, FALSE);
    GThread *t = g_thread_new("t", request, loop);
    g_main_loop_run(loop);
    struct request *r = g_thread_join(t);
    int sum = r->read;
    g_free(r);
    g_main_loop_unref(loop);
    return sum != 5;
}
