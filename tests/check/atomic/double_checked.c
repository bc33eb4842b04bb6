// Double-checked locking: broken without an acquire on the quick path.
// EXPECT: data-race PUBLISH/write CHECK/read
// ALLOW: data-race FIELD USE
#include "../twin.h"

struct single {
    int value;
};
static PICK(struct single *, struct single *_Atomic) instance;
static int seen[2];

static struct single *get(void)
{
    if (!instance) { // CHECK
        LOCK();
        if (!instance) {
            struct single *s = malloc(sizeof *s);
            s->value = 42; // FIELD
            instance = s; // PUBLISH
        }
        UNLOCK();
    }
    return instance; // CHECK
}

static void *use(void *arg)
{
    seen[(long)arg] = get()->value; // USE
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, use, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return seen[0];
}
