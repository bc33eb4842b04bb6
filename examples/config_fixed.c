/* config_fixed.c: config.c without its bug: the configuration is there before the thread is. */
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
    config = &the_config;
    pthread_create(&t, NULL, listen_there, NULL);
    pthread_join(t, NULL);
    return port == 80 ? 0 : 1;
}
