// EXPECT: git_index_add git_index_add
// LIB: libgit2.so.1.5
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "together.h"

struct entry {
    int32_t seconds[2];
    uint32_t nanoseconds[2];
    uint32_t dev, ino, mode, uid, gid, size;
    unsigned char id[20];
    uint16_t flags, more_flags;
    const char *path;
};

int git_libgit2_init(void);
int git_index_new(void **index);
int git_index_add(void *index, const struct entry *e);

static void *add(void *index)
{
    struct entry e = {.mode = 0100644, .id = {1}, .path = "a"};
    arrive();
    for (int i = 0; i < ROUNDS / 10; i++) {
        LOCK;
        git_index_add(index, &e);
        UNLOCK;
    }
    return 0;
}

int main(void)
{
    void *index;
    git_libgit2_init();
    git_index_new(&index);
    together(add, add, index);
    puts("done");
    return 0;
}
