/* tree.c: a search tree whose readers take no lock; removal frees what they look at. */
#include <pthread.h>
#include <stdlib.h>

struct node {
    int key;
    struct node *child[2];
};

static struct node *root;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static struct node **find(int key)
{
    struct node **p = &root;
    while (*p && (*p)->key != key)
        p = &(*p)->child[key > (*p)->key];
    return p;
}

static void insert(int key)
{
    pthread_mutex_lock(&m);
    struct node **p = find(key);
    if (!*p) {
        *p = calloc(1, sizeof **p);
        (*p)->key = key;
    }
    pthread_mutex_unlock(&m);
}

static void drop_leaf(int key)
{
    pthread_mutex_lock(&m);
    struct node **p = find(key), *n = *p;
    if (n && !n->child[0] && !n->child[1]) {
        *p = NULL;
        free(n);
    }
    pthread_mutex_unlock(&m);
}

static void *writer(void *arg)
{
    static const int keys[] = {50, 20, 80, 10, 30, 70, 90};
    for (int i = 0; i < 7; i++)
        insert(keys[i]);
    for (int i = 3; i < 7; i++)
        drop_leaf(keys[i]);
    return arg;
}

static void *reader(void *arg)
{
    for (int i = 0; i < 5; i++)
        find(10 + 20 * i);
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
