// EXPECT: ZSTD_CCtx_setParameter ZSTD_compress2
// ALLOW: ZSTD_compress2 ZSTD_compress2
// LIB: libzstd.so.1
#include <stdio.h>
#include <stddef.h>

#include "together.h"

void *ZSTD_createCCtx(void);
size_t ZSTD_freeCCtx(void *c);
size_t ZSTD_CCtx_setParameter(void *c, int parameter, int value);
size_t ZSTD_compress2(void *c, void *to, size_t room, const void *from, size_t n);

enum { ZSTD_c_checksumFlag = 201 };

static void *squeeze(void *c)
{
    char to[256];
    arrive();
    for (int i = 0; i < ROUNDS / 10; i++) {
        LOCK;
        ZSTD_compress2(c, to, sizeof to, "some text, some text", 20);
        UNLOCK;
    }
    return 0;
}

static void *configure(void *c)
{
    arrive();
    for (int i = 0; i < ROUNDS / 10; i++) {
        LOCK;
        ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, i & 1);
        UNLOCK;
    }
    return 0;
}

int main(void)
{
    void *c = ZSTD_createCCtx();
    together(squeeze, configure, c);
    ZSTD_freeCCtx(c);
    puts("done");
    return 0;
}
