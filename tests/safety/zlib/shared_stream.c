// EXPECT: deflate deflate
// PKG: zlib
#include <stdio.h>
#include <zlib.h>

#include "together.h"

static void *squeeze(void *p)
{
    z_stream *z = p;
    arrive();
    for (int i = 0; i < 2000; i++) {
        LOCK;
        deflate(z, Z_NO_FLUSH);
        UNLOCK;
    }
    return 0;
}

int main(void)
{
    z_stream z = {0};
    deflateInit(&z, 1);
    together(squeeze, squeeze, &z);
    deflateEnd(&z);
    puts("done");
    return 0;
}
