/* two_counters.c: two variables that belong together, each guarded, the pair not. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int length, bytes;

static void add(int *to, int n)
{
    pthread_mutex_lock(&m);
    *to += n;
    pthread_mutex_unlock(&m);
}

static int get(const int *from)
{
    pthread_mutex_lock(&m);
    int n = *from;
    pthread_mutex_unlock(&m);
    return n;
}

static void *writer(void *arg)
{
    for (int i = 0; i < 3; i++) {
        add(&length, 1);
        add(&bytes, 8);
    }
    return arg;
}

static void *reader(void *arg)
{
    int n = get(&length), b = get(&bytes);
    assert(b >= 8 * n);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
