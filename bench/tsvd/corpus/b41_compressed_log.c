// BUG: gz* gz*
// PKG: zlib
// Several loggers write into one compressed file.
#include <zlib.h>

#include "module.h"

static gzFile out;

static void *log_lines(void *id)
{
    for (int i = 0; i < 40; i++) {
        gzprintf(out, "%d: line %d\n", (int)(intptr_t)id, i);
        work(9);
    }
    return 0;
}

int main(void)
{
    out = gzopen("/dev/null", "wb");
    all(3, log_lines);
    gzclose(out);
    return 0;
}
