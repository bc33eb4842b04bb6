// BUG: g_sequence_append g_sequence_get_length
// PKG: glib-2.0
#include <glib.h>

#include "module.h"

static GSequence *s;

static void *grow(void *x)
{
    for (int i = 0; i < 40; i++) {
        g_sequence_append(s, x);
        work(10);
    }
    return x;
}

static void *size(void *x)
{
    for (int i = 0; i < 40; i++) {
        g_sequence_get_length(s);
        work(10);
    }
    return x;
}

int main(void)
{
    s = g_sequence_new(0);
    both(grow, size);
    return 0;
}
