/* once_unwound.c: an initialiser whose thread ends in it lets the next one try. */
#include <assert.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int attempts;

static void initialise(void)
{
    if (++attempts == 1)
        pthread_exit(NULL);
}

static void *use(void *arg)
{
    pthread_once(&once, initialise);
    assert(attempts == 2);
    return arg;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, use, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return attempts - 2;
}
