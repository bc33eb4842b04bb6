// The last one frees: its decrement must acquire what the others did.
// EXPECT: data-race USE FREE/free
#include "../twin.h"

#include <stdatomic.h>

struct object {
    atomic_int count;
    int value[2];
};
static struct object *object;

static void *drop(void *arg)
{
    object->value[(long)arg]++; // USE
    if (atomic_fetch_sub_explicit(&object->count, 1, PICK(memory_order_relaxed, memory_order_acq_rel)) == 1) // COUNT
        free(object); // FREE
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    object = calloc(1, sizeof *object);
    atomic_init(&object->count, 2);
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, drop, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
// ALLOW: data-race COUNT FREE
