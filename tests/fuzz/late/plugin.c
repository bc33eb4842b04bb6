/* plugin.c: the race is in a library that dlopen brings: its places are the same in every execution, wherever it lies. */
#include <pthread.h>

#ifdef PLUGIN
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *add(void *arg)
{
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    sum++;
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    return arg;
}

int run(void);
int run(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    pthread_mutex_lock(&lock);
    int lost = sum != 2;
    pthread_mutex_unlock(&lock);
    return lost;
}
#else
#include <dlfcn.h>

int main(int argc, char **argv)
{
    void *plugin = dlopen(argv[argc - 1], RTLD_NOW);
    int (*run)(void) = plugin ? (int (*)(void))dlsym(plugin, "run") : NULL;
    return run ? run() : 2;
}
#endif
