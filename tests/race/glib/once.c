// g_once, g_once_init_enter and the initialisation of classes: what an initialiser has written is seen
// by all who come later. In the bug something is written after the initialisation has ended.
// PACKAGE: gobject-2.0
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global late
// PEER: tsan may-alarm: GLib is not instrumented
#include <glib-object.h>
#include "invisible.h"

typedef struct {
    GObject parent;
    int value;
} Thing;
typedef struct {
    GObjectClass parent;
    int (*get)(Thing *);
    int made;
} ThingClass;

GType thing_get_type(void);
G_DEFINE_TYPE(Thing, thing, G_TYPE_OBJECT)

static int get(Thing *t)
{
    return t->value;
}

static void thing_class_init(ThingClass *c)
{
    c->get = get;
    c->made = 3;
}

static void thing_init(Thing *t)
{
    t->value = 4;
}

static GOnce once = G_ONCE_INIT;
static int table[4], late, seen;
static gsize ready;

static gpointer init(gpointer arg)
{
    int *p = g_new(int, 1);
    *p = 5;
    return (void)arg, p;
}

static int use(void)
{
    int *p = g_once(&once, init, NULL);
    if (g_once_init_enter(&ready)) {
        for (int i = 0; i < 4; i++)
            table[i] = i;
        g_once_init_leave(&ready, 1);
    }
    Thing *t = g_object_new(thing_get_type(), NULL);
    ThingClass *c = G_TYPE_INSTANCE_GET_CLASS(t, thing_get_type(), ThingClass);
    int sum = *p + table[3] + c->get(t) + c->made;
    g_object_unref(t);
    return sum;
}

static gpointer first(gpointer arg)
{
    FIX(late = 1;)
    int sum = use();
    BUG(late = 1;) // RACE1
    hidden_post(0);
    return (void)arg, GINT_TO_POINTER(sum);
}

static gpointer second(gpointer arg)
{
    hidden_wait(0);
    int sum = use();
    seen = late; // RACE2
    return (void)arg, GINT_TO_POINTER(sum);
}

int main(void)
{
    GThread *a = g_thread_new("a", first, NULL), *b = g_thread_new("b", second, NULL);
    int sum = GPOINTER_TO_INT(g_thread_join(a)) + GPOINTER_TO_INT(g_thread_join(b));
    return sum != 30 || seen != 1;
}
