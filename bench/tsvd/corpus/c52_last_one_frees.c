// PKG: glib-2.0
// Reference counts: each of the threads reads, and the one that is last frees.
#include <glib.h>
#include <stdatomic.h>

#include "module.h"

struct page {
    atomic_int users;
    GPtrArray *words;
};

static struct page *page[20];

static void *reader(void *id)
{
    for (int i = 0; i < 20; i++) {
        struct page *p = page[i];
        work(6 + 2 * (unsigned)(intptr_t)id);
        g_ptr_array_find(p->words, id, 0);
        work(5);
        if (atomic_fetch_sub(&p->users, 1) == 1) {
            g_ptr_array_free(p->words, TRUE);
            g_free(p);
        }
    }
    return 0;
}

int main(void)
{
    for (int i = 0; i < 20; i++) {
        page[i] = g_new0(struct page, 1);
        page[i]->users = 3;
        page[i]->words = g_ptr_array_new();
        g_ptr_array_add(page[i]->words, page);
    }
    all(3, reader);
    return 0;
}
