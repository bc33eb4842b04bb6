// PKG: zlib
// As b41 with a lock.
#include <zlib.h>

#include "module.h"

static gzFile out;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *log_lines(void *id)
{
    for (int i = 0; i < 40; i++) {
        LOCK(lock);
        gzprintf(out, "%d: line %d\n", (int)(intptr_t)id, i);
        UNLOCK(lock);
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
