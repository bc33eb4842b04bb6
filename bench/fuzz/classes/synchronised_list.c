/* synchronised_list.c: every call of the list is guarded; going through it is not (the paper's ArrayList
 * and LinkedList with synchronised wrappers). */
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static struct node *head;
static int size;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void add(int value)
{
    struct node *n = malloc(sizeof *n);
    pthread_mutex_lock(&m);
    n->value = value;
    n->next = head;
    head = n;
    size++;
    pthread_mutex_unlock(&m);
}

static void clear(void)
{
    pthread_mutex_lock(&m);
    while (head) {
        struct node *n = head;
        head = n->next;
        free(n);
    }
    size = 0;
    pthread_mutex_unlock(&m);
}

static int sum(void) /* not guarded: an iterator */
{
    int s = 0, n = size;
    for (struct node *p = head; p; p = p->next) {
        s += p->value;
        if (--n < 0)
            abort(); /* the paper's ConcurrentModificationException */
    }
    return s;
}

static void *adder(void *arg)
{
    for (int i = 0; i < 8; i++)
        add(i);
    return arg;
}

static void *reader(void *arg)
{
    return (void *)(long)(sum() + (arg != NULL));
}

static void *clearer(void *arg)
{
    clear();
    return arg;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 4; i++)
        add(i);
    pthread_create(&t[0], NULL, adder, NULL);
    pthread_create(&t[1], NULL, reader, NULL);
    pthread_create(&t[2], NULL, clearer, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
