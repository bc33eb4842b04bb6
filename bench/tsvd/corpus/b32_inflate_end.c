// BUG: inflateEnd inflateReset
// PKG: zlib
// One thread gives the stream up while the other starts over.
#include <zlib.h>

#include "module.h"

static z_stream z;

static void *again(void *x)
{
    for (int i = 0; i < 25; i++) {
        inflateReset(&z);
        work(8);
    }
    return x;
}

static void *stop(void *x)
{
    work(100);
    inflateEnd(&z);
    work(250);
    return x;
}

int main(void)
{
    inflateInit(&z);
    both(again, stop);
    return 0;
}
