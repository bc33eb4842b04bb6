// As b40; one thread reads the directory and hands copies of the names out.
// PKG: glib-2.0
#include <dirent.h>
#include <glib.h>
#include <sys/stat.h>

#include "module.h"

static GAsyncQueue *names;
static char end[] = "";

static void *scan(void *x)
{
    long n = 0;
    for (;;) {
        char *name = g_async_queue_pop(names);
        struct stat st;
        if (name == end)
            break;
        n += stat(name, &st);
        g_free(name);
        work(6);
    }
    return n > 1000 ? x : 0;
}

static void *list(void *x)
{
    DIR *dir = opendir("/usr/bin");
    struct dirent *e;
    for (int i = 0; dir && i < 100 && (e = readdir(dir)) != 0; i++)
        g_async_queue_push(names, g_strdup(e->d_name));
    if (dir)
        closedir(dir);
    g_async_queue_push(names, end);
    g_async_queue_push(names, end);
    return x;
}

int main(void)
{
    pthread_t l;
    names = g_async_queue_new();
    pthread_create(&l, 0, list, 0);
    all(2, scan);
    pthread_join(l, 0);
    return 0;
}
