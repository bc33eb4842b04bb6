// EXPECT: putenv putenv
// Readers alone do not conflict; with FIXED only readers are left.
#include <stdio.h>
#include <stdlib.h>

#include "together.h"

static char setting[] = "SAFETY=1";

static void *look(void *unused)
{
    arrive();
    for (int i = 0; i < ROUNDS; i++) {
#ifdef FIXED
        (void)getenv("SAFETY");
#else
        putenv(setting);
#endif
    }
    return unused;
}

int main(void)
{
    putenv(setting);
    together(look, look, 0);
    puts("done");
    return 0;
}
