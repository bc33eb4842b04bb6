
#include "module.h"

static void *stamp(void *id)
{
    for (int i = 0; i < 50; i++) {
        time_t t = i;
        struct tm tm;
        localtime_r(&t, &tm);
        work(9);
    }
    return id;
}

int main(void)
{
    all(3, stamp);
    return 0;
}
