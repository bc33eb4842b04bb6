// EXPECT: evbuffer_add evbuffer_add
// LIB: libevent-2.1.so.7 libevent_pthreads-2.1.so.7
// A buffer that two threads fill; with evbuffer_enable_locking() they may.
#include <stddef.h>
#include <stdio.h>

#include "together.h"

void *evbuffer_new(void);
int evbuffer_add(void *b, const void *data, size_t n);
int evbuffer_enable_locking(void *b, void *lock);
int evthread_use_pthreads(void);

static void *fill(void *b)
{
    arrive();
    for (int i = 0; i < ROUNDS / 4; i++)
        evbuffer_add(b, "x", 1);
    return 0;
}

int main(void)
{
    evthread_use_pthreads();
    void *b = evbuffer_new();
#ifdef FIXED
    evbuffer_enable_locking(b, 0);
#endif
    together(fill, fill, b);
    puts("done");
    return 0;
}
