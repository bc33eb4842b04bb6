// BUG: strtok strtok

#include "module.h"

static void *parse(void *id)
{
    for (int i = 0; i < 50; i++) {
        char s[] = "one two";
        strtok(s, " ");
        work(9);
    }
    return id;
}

int main(void)
{
    all(2, parse);
    return 0;
}
