// Who gives up the last reference destroys the object, after all that others did with it before they
// gave up theirs. In the bug both write the same member.
// PACKAGE: gobject-2.0
// EXPECT: data-race RACE1/write RACE1/write
// EXPECT-OBJECT: heap
// PEER: tsan may-alarm: GLib is not instrumented
#include <glib-object.h>
#include "invisible.h"

typedef struct {
    GObject parent;
    int used[2];
} Thing;
typedef struct {
    GObjectClass parent;
} ThingClass;

GType thing_get_type(void);
G_DEFINE_TYPE(Thing, thing, G_TYPE_OBJECT)
static int finalized;

static void thing_finalize(GObject *o)
{
    Thing *t = (Thing *)o;
    t->used[0] = t->used[1] = 0;
    finalized++;
    G_OBJECT_CLASS(thing_parent_class)->finalize(o);
}

static void thing_class_init(ThingClass *c)
{
    G_OBJECT_CLASS(c)->finalize = thing_finalize;
}

static void thing_init(Thing *t)
{
    t->used[0] = t->used[1] = 0;
}

static void clear(gpointer p)
{
    *(int *)p = 0;
}

struct share {
    Thing *thing;
    int *box;
    GPtrArray *array;
    int which;
};

static gpointer use(gpointer arg)
{
    struct share *s = arg;
    if (s->which)
        hidden_wait(0);
    s->thing->used[PICK(0, s->which)] = 1; // RACE1
    s->box[s->which]++;
    *(int *)g_ptr_array_index(s->array, s->which) += 1;
    if (!s->which)
        hidden_post(0);
    g_object_unref(s->thing);
    g_atomic_rc_box_release_full(s->box, clear);
    g_ptr_array_unref(s->array);
    return NULL;
}

int main(void)
{
    for (int i = 0; i < 20; i++) {
        struct share s[2] = {{.thing = g_object_new(thing_get_type(), NULL),
                              .box = g_atomic_rc_box_alloc0(2 * sizeof(int)),
                              .array = g_ptr_array_new_with_free_func(g_free)}};
        g_ptr_array_add(s[0].array, g_new0(int, 1));
        g_ptr_array_add(s[0].array, g_new0(int, 1));
        s[1] = s[0];
        s[1].which = 1;
        g_object_ref(s[0].thing);
        g_atomic_rc_box_acquire(s[0].box);
        g_ptr_array_ref(s[0].array);
        GThread *t[2];
        hidden_events[0] = 0;
        for (int k = 0; k < 2; k++)
            t[k] = g_thread_new("t", use, &s[k]);
        for (int k = 0; k < 2; k++)
            g_thread_join(t[k]);
    }
    return finalized != 20;
}
