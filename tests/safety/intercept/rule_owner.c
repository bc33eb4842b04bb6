// EXPECT: owned_new owned_use
// OPTIONS: --contracts {dir}/rules.contract
// LIBRARY:
// LINK-LIBRARY:
// An object of one thread, used by another, long after: no overlap is needed.
#include <stdio.h>

int owned_new(int **out);
int owned_use(int *o);
void owned_free(int *o);

#ifdef LIBRARY
static int object;
int owned_new(int **out)
{
    *out = &object;
    return 0;
}
int owned_use(int *o)
{
    return *o;
}
void owned_free(int *o)
{
    (void)o;
}
#else
#include "together.h"

static void *use(void *o)
{
    int *mine = o;
#ifdef FIXED
    owned_free(o);
    owned_new(&mine); /* the same address, but another object */
#endif
    owned_use(mine);
    return 0;
}

int main(void)
{
    int *o = 0;
    pthread_t t;
    owned_new(&o);
    owned_use(o);
    pthread_create(&t, 0, use, o);
    pthread_join(t, 0);
    puts("done");
    return 0;
}
#endif
