// BUG: g_checksum_update g_checksum_update
// PKG: glib-2.0
#include <glib.h>

#include "module.h"

static GChecksum *c;

static void *hash(void *id)
{
    for (int i = 0; i < 50; i++) {
        g_checksum_update(c, (const guchar *)"abc", 3);
        work(8);
    }
    return id;
}

int main(void)
{
    c = g_checksum_new(G_CHECKSUM_MD5);
    all(2, hash);
    return 0;
}
