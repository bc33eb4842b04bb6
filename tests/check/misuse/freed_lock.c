// An object is freed while its lock is held.
// EXPECT: misuse FREE
// EXPECT-TEXT: freed while it is held
#include "../twin.h"

struct object {
    pthread_mutex_t mutex;
    int n;
};

int main(void)
{
    struct object *o = malloc(sizeof *o);
    pthread_mutex_init(&o->mutex, NULL);
    pthread_mutex_lock(&o->mutex);
    o->n = 1;
    FIX(pthread_mutex_unlock(&o->mutex));
    free(o); // FREE
    return 0;
}
