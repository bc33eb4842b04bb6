// BUG: drand48 drand48

#include "module.h"

static void *draw(void *id)
{
    double s = 0;
    for (int i = 0; i < 60; i++) {
        s += drand48();
        work(7);
    }
    return s < 0 ? id : 0;
}

int main(void)
{
    all(3, draw);
    return 0;
}
