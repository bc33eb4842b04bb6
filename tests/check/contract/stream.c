// Two threads compress with one z_stream.
// EXPECT: thread-safety-violation WORK WORK
#include "../twin.h"

typedef struct { unsigned char *in; unsigned n; unsigned char *out; unsigned room; void *state; long more[8]; } z_stream;
int deflateInit_(z_stream *s, int level, const char *version, int bytes);
int deflate(z_stream *s, int flush);
int deflateEnd(z_stream *s);

static z_stream stream;

static void *work(void *arg)
{
    FIX(LOCK());
    deflate(&stream, 0); // WORK
    FIX(UNLOCK());
    return arg;
}

int main(void)
{
    deflateInit_(&stream, 6, "1.2.13", sizeof stream);
    run_two(work, work);
    deflateEnd(&stream);
    return 0;
}
