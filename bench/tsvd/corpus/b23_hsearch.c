// BUG: hsearch hsearch
#include <search.h>

#include "module.h"

static void *find(void *id)
{
    for (int i = 0; i < 40; i++) {
        ENTRY e = {"key", id};
        hsearch(e, ENTER);
        work(10);
    }
    return id;
}

int main(void)
{
    hcreate(64);
    all(2, find);
    return 0;
}
