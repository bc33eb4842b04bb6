/* spin.c: a lock of the program's own, which a predictor does not look into, and a counter beside
 * it. With "race" nobody holds the lock there. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static _Atomic int taken;
static int total, others;
static const char *how = "";

void spin_lock(_Atomic int *l)
{
    while (atomic_exchange(l, 1))
        ;
}

void spin_unlock(_Atomic int *l)
{
    atomic_store(l, 0);
}

static void *work(void *p)
{
    for (int i = 0; i < 5; i++) {
        spin_lock(&taken);
        total++;
        spin_unlock(&taken);
    }
    if (strcmp(how, "race") == 0)
        others++;
    return p;
}

int main(int argc, char **argv)
{
    pthread_t a, b;
    how = argc > 1 ? argv[1] : how;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return total != 10;
}
