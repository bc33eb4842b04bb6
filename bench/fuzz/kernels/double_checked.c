/* double_checked.c: the pointer is published before what it points to is ready. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct config {
    int ready;
};

static struct config *volatile instance;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static struct config *get(void)
{
    if (!instance) {
        pthread_mutex_lock(&m);
        if (!instance) {
            instance = calloc(1, sizeof *instance);
            instance->ready = 1;
        }
        pthread_mutex_unlock(&m);
    }
    return instance;
}

static void *user(void *arg)
{
    assert(get()->ready == 1);
    return arg;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, user, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
