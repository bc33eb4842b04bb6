/*
 * pipes.c: two threads that talk by pipes, and both may come to wait for the other's first word. With -DFIXED whoever
 * comes first speaks.
 */
// EXPECT: confirmed deadlock harmful read
// EXPECT: effect deadlock
#include <pthread.h>
#include <unistd.h>

static int there[2], back[2], taken;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static int comes_first(void)
{
    pthread_mutex_lock(&m);
    int first = !taken;
    taken = 1;
    pthread_mutex_unlock(&m);
    return first;
}

static int talk(int from, int to, int speaks)
{
    char word = 'w';
    if (speaks)
        return write(to, &word, 1) == 1 && read(from, &word, 1) == 1;
    return read(from, &word, 1) == 1 && write(to, &word, 1) == 1;
}

static void *one(void *arg)
{
    return talk(back[0], there[1], comes_first()) ? arg : NULL;
}

static void *other(void *arg)
{
    int speaks = comes_first();
#ifndef FIXED
    speaks = 0;
#endif
    return talk(there[0], back[1], speaks) ? arg : NULL;
}

int main(void)
{
    pthread_t t[2];
    if (pipe(there) || pipe(back))
        return 2;
    pthread_create(&t[0], NULL, one, NULL);
    pthread_create(&t[1], NULL, other, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
