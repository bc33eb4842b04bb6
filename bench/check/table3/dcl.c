// Double-checked locking (the paper's figure 1): the quick test reads what another thread writes.
// EXPECT: data-race PUBLISH/write TEST/read
// ALLOW: data-race FIELD USE
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct singleton {
    int value;
};

#ifdef FIXED
static struct singleton *_Atomic instance;
#else
static struct singleton *instance;
#endif
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static struct singleton *get_instance(void)
{
    if (instance == NULL) { // TEST
        pthread_mutex_lock(&mutex);
        if (instance == NULL) {
            struct singleton *s = malloc(sizeof *s);
            s->value = 1; // FIELD
            instance = s; // PUBLISH
        }
        pthread_mutex_unlock(&mutex);
    }
    return instance; // TEST
}

static void *user(void *arg)
{
    return get_instance()->value == 1 ? arg : NULL; // USE
}

int main(void)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, user, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    free(instance);
    return 0;
}
