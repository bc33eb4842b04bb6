
#include "module.h"

static void *look(void *id)
{
    for (int i = 0; i < 50; i++) {
        if (getenv("LEVEL"))
            work(9);
    }
    return id;
}

int main(void)
{
    setenv("LEVEL", "1", 1);
    all(3, look);
    setenv("LEVEL", "2", 1);
    return 0;
}
