// EXPECT: BZ2_bzCompress BZ2_bzCompress
// LIB: libbz2.so.1.0
#include <stdio.h>

#include "together.h"

typedef struct {
    char *next_in;
    unsigned avail_in, total_in_low, total_in_high;
    char *next_out;
    unsigned avail_out, total_out_low, total_out_high;
    void *state, *alloc, *free, *opaque;
} bz_stream;

int BZ2_bzCompressInit(bz_stream *s, int size, int verbosity, int factor);
int BZ2_bzCompress(bz_stream *s, int action);
int BZ2_bzCompressEnd(bz_stream *s);

/* Nothing to compress: the calls return at once, and are wrong all the same. */
static void *squeeze(void *p)
{
    bz_stream *s = p;
    arrive();
    for (int i = 0; i < ROUNDS; i++) {
        LOCK;
        BZ2_bzCompress(s, 0);
        UNLOCK;
    }
    return 0;
}

int main(void)
{
    bz_stream s = {0};
    BZ2_bzCompressInit(&s, 1, 0, 0);
    together(squeeze, squeeze, &s);
    BZ2_bzCompressEnd(&s);
    puts("done");
    return 0;
}
