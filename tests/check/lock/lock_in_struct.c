// Every object has its own lock; the wrong object's is taken.
// EXPECT: data-race MOVE/write MOVE
#include "../twin.h"

struct account {
    pthread_mutex_t mutex;
    int balance;
};
static struct account *make(int n)
{
    struct account *a = malloc(sizeof *a);
    pthread_mutex_init(&a->mutex, NULL);
    a->balance = n;
    return a;
}
static struct account *x, *y;

static void put(struct account *held, struct account *a, int n)
{
    pthread_mutex_lock(&held->mutex);
    a->balance += n; // MOVE
    pthread_mutex_unlock(&held->mutex);
}

static void *one(void *arg)
{
    put(x, x, 1);
    return arg;
}

static void *two(void *arg)
{
    put(PICK(y, x), x, 1);
    return arg;
}

int main(void)
{
    x = make(1);
    y = make(2);
    run_two(one, two);
    return x->balance + y->balance;
}
