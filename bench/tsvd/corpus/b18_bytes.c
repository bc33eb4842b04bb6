// BUG: g_byte_array_append g_byte_array_append
// PKG: glib-2.0
#include <glib.h>

#include "module.h"

static GByteArray *out;

static void *send(void *id)
{
    for (int i = 0; i < 40; i++) {
        work(10);
        g_byte_array_append(out, (const guint8 *)"x", 1);
    }
    return id;
}

int main(void)
{
    out = g_byte_array_new();
    all(3, send);
    return 0;
}
