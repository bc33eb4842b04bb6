/* buffer_while.c: the twin that looks again after waiting. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { ITEMS = 3 };
static pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int items;

static void *eat(void *arg)
{
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&l);
        while (items == 0)
            pthread_cond_wait(&more, &l);
        assert(items > 0);
        items--;
        pthread_mutex_unlock(&l);
    }
    return arg;
}

static void *cook(void *arg)
{
    for (int i = 0; i < 2 * ITEMS; i++) {
        pthread_mutex_lock(&l);
        items++;
        pthread_cond_signal(&more);
        pthread_mutex_unlock(&l);
    }
    return arg;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, NULL, eat, NULL);
    pthread_create(&b, NULL, eat, NULL);
    pthread_create(&c, NULL, cook, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return 0;
}
