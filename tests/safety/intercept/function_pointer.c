// EXPECT: strtok strtok
// FLAGS-EACH: -fPIE -pie | -no-pie -fno-pie
// The address of the function is in a table: a relocation in data, or the address of the PLT.
#include <stdio.h>
#include <string.h>

#include "together.h"

static char *(*volatile table[])(char *, const char *) = {strtok};

static void *split(void *unused)
{
    arrive();
    for (int i = 0; i < ROUNDS; i++) {
        char line[] = "a";
        LOCK;
        table[0](line, " ");
        UNLOCK;
    }
    return unused;
}

int main(void)
{
    together(split, split, 0);
    puts(table[0] == strtok ? "same" : "different");
    return 0;
}
