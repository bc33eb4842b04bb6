// EXPECT: strtok strtok
// FLAGS-EACH: -Wl,-z,lazy | -Wl,-z,now -Wl,-z,relro | -no-pie -fno-pie -Wl,-z,lazy | -no-pie -fno-pie -Wl,-z,now | -fno-plt | -Wl,-z,lazy -Wl,-z,relro -fomit-frame-pointer | -Wl,--hash-style=sysv
// EXPECT-STACK: split outer run
// Every way to bind a call, and stacks without frame pointers.
#include <stdio.h>
#include <string.h>

#include "together.h"

__attribute__((noinline)) static char *split(char *line)
{
    char *p = strtok(line, " ");
    return p ? p + 1 : 0;
}

__attribute__((noinline)) static int outer(int i)
{
    char line[64] = "abc";
    line[i % 3] = 'x';
    return split(line) != 0;
}

static void *run(void *unused)
{
    int n = 0;
    arrive();
    for (int i = 0; i < ROUNDS; i++) {
        LOCK;
        n += outer(i);
        UNLOCK;
    }
    return n == ROUNDS ? unused : 0;
}

int main(void)
{
    together(run, run, 0);
    puts("done");
    return 0;
}
