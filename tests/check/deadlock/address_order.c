// Locks of two objects, in the order of the arguments or of the addresses.
// EXPECT: deadlock SECOND SECOND
#include "../twin.h"

struct box {
    pthread_mutex_t mutex;
    int n;
} x = {PTHREAD_MUTEX_INITIALIZER, 1}, y = {PTHREAD_MUTEX_INITIALIZER, 2};

static void move(struct box *from, struct box *to)
{
    struct box *one = PICK(from, from < to ? from : to), *two = PICK(to, from < to ? to : from);
    pthread_mutex_lock(&one->mutex);
    pthread_mutex_lock(&two->mutex); // SECOND
    from->n--;
    to->n++;
    pthread_mutex_unlock(&two->mutex);
    pthread_mutex_unlock(&one->mutex);
}

static void *there(void *arg)
{
    move(&x, &y);
    return arg;
}

static void *back(void *arg)
{
    move(&y, &x);
    return arg;
}

int main(void)
{
    run_two(there, back);
    return x.n;
}
