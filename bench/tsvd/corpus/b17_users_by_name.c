// BUG: getpwnam getpwnam
#include <pwd.h>

#include "module.h"

static void *who(void *id)
{
    for (int i = 0; i < 40; i++) {
        if (getpwnam("root"))
            work(10);
    }
    return id;
}

int main(void)
{
    all(2, who);
    return 0;
}
