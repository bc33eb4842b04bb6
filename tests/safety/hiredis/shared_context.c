// EXPECT: redisAppendCommand redisAppendCommand
// LIB: libhiredis.so.0.14
#include <stdio.h>

#include "together.h"

void *redisConnectUnixNonBlock(const char *path);
int redisAppendCommand(void *c, const char *format, ...);
void redisFree(void *c);

static void *ask(void *c)
{
    arrive();
    for (int i = 0; i < ROUNDS / 20; i++) {
        LOCK;
        redisAppendCommand(c, "SET %s %d %s %d %s %d", "a", i, "b", i + 1, "c", i + 2);
        UNLOCK;
    }
    return 0;
}

int main(void)
{
    void *c = redisConnectUnixNonBlock("/nonexistent");
    together(ask, ask, c);
    redisFree(c);
    puts("done");
    return 0;
}
