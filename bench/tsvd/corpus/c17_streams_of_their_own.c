// PKG: zlib
#include <zlib.h>

#include "module.h"

static void *pack(void *id)
{
    z_stream z = {0};
    deflateInit(&z, 1);
    for (int i = 0; i < 40; i++) {
        deflate(&z, Z_NO_FLUSH);
        work(10);
    }
    deflateEnd(&z);
    return id;
}

int main(void)
{
    all(3, pack);
    return 0;
}
