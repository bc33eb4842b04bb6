
#include "module.h"

static void *parse(void *id)
{
    for (int i = 0; i < 50; i++) {
        char s[] = "a b", *save;
        strtok_r(s, " ", &save);
        work(9);
    }
    return id;
}

int main(void)
{
    all(3, parse);
    return 0;
}
