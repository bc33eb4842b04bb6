// BUG: deflate deflate
// PKG: zlib
#include <zlib.h>

#include "module.h"

static z_stream z;

static void *pack(void *id)
{
    for (int i = 0; i < 40; i++) {
        deflate(&z, Z_NO_FLUSH);
        work(10);
    }
    return id;
}

int main(void)
{
    deflateInit(&z, 1);
    all(2, pack);
    deflateEnd(&z);
    return 0;
}
