// PKG: glib-2.0
// Each round ends with a number in an event descriptor, and the other side starts on it.
#include <glib.h>
#include <sys/eventfd.h>

#include "module.h"

static int ready, free_again;
static GArray *data;

static void *fill(void *x)
{
    for (int i = 0; i < 30; i++) {
        uint64_t n;
        if (read(free_again, &n, sizeof n) != sizeof n)
            break;
        g_array_set_size(data, 0);
        g_array_append_val(data, i);
        n = 1;
        if (write(ready, &n, sizeof n) != sizeof n)
            break;
        work(5);
    }
    return x;
}

static void *use(void *x)
{
    for (int i = 0; i < 30; i++) {
        uint64_t n;
        if (read(ready, &n, sizeof n) != sizeof n)
            break;
        g_array_append_val(data, i);
        work(4);
        n = 1;
        if (write(free_again, &n, sizeof n) != sizeof n)
            break;
    }
    return x;
}

int main(void)
{
    data = g_array_new(0, 0, sizeof(int));
    ready = eventfd(0, 0);
    free_again = eventfd(1, 0);
    both(fill, use);
    g_array_free(data, TRUE);
    return 0;
}
