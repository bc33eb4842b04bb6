/*
 * config.c: the thread is started before the configuration is there that it reads. Kind: data race,
 * and an order violation: a null pointer is followed when the thread is quick. Find it with `snag
 * hunt`. config_fixed.c is its twin.
 */
#include <pthread.h>
#include <stddef.h>

struct config {
    int port;
};

static struct config the_config = {80};
static struct config *config;
static int port;

static void *listen_there(void *arg)
{
    port = config->port;
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, listen_there, NULL);
    config = &the_config;
    pthread_join(t, NULL);
    return port == 80 ? 0 : 1;
}
