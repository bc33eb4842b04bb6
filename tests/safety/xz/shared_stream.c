// EXPECT: lzma_code lzma_get_progress
// ALLOW: lzma_code lzma_code
// LIB: liblzma.so.5
// How far the work is may not be asked while it goes on.
#include <stdint.h>
#include <stdio.h>

#include "together.h"

typedef struct {
    const uint8_t *next_in;
    size_t avail_in;
    uint64_t total_in;
    uint8_t *next_out;
    size_t avail_out;
    uint64_t total_out;
    void *more[11];
} lzma_stream;

int lzma_easy_encoder(lzma_stream *s, uint32_t preset, int check);
int lzma_code(lzma_stream *s, int action);
void lzma_get_progress(lzma_stream *s, uint64_t *in, uint64_t *out);
void lzma_end(lzma_stream *s);

static void *squeeze(void *p)
{
    lzma_stream *s = p;
    uint8_t out[64];
    arrive();
    for (int i = 0; i < ROUNDS / 4; i++) {
        LOCK;
        s->next_in = (const uint8_t *)"a";
        s->avail_in = 1;
        s->next_out = out;
        s->avail_out = sizeof out;
        lzma_code(s, 0);
        UNLOCK;
    }
    return 0;
}

static void *watch(void *p)
{
    uint64_t in, out;
    arrive();
    for (int i = 0; i < ROUNDS / 4; i++) {
        LOCK;
        lzma_get_progress(p, &in, &out);
        UNLOCK;
    }
    return 0;
}

int main(void)
{
    static lzma_stream s;
    lzma_easy_encoder(&s, 0, 1);
    together(squeeze, watch, &s);
    lzma_end(&s);
    puts("done");
    return 0;
}
