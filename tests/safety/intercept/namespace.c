// EXPECT: random_r random_r
// EXPECT-STACK: copy_draw draw
// LIBRARY:
// The caller is in a namespace of its own, with its own libc. The state of strtok is there twice, so
// that the two calls of it are no violation.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void split(void)
{
    char line[] = "a";
    char *volatile p = strtok(line, " ");
    (void)p;
}

#ifdef LIBRARY
static struct random_data data;
static char state[64];

void copy_begin(void);
void copy_begin(void)
{
    initstate_r(1, state, sizeof state, &data);
}

void copy_draw(void);
void copy_draw(void)
{
    int32_t volatile sum = 0;
    int32_t number;
    random_r(&data, &number);
    sum += number;
}

void copy_split(void);
void copy_split(void)
{
    split();
}
#else
#include "together.h"

static void (*copy_begin)(void), (*copy_draw)(void), (*copy_split)(void);

static void draw(void (*split_here)(void))
{
    arrive();
    for (int i = 0; i < ROUNDS; i++) {
        LOCK;
        copy_draw();
        UNLOCK;
        split_here();
    }
}

static void *draw_there(void *unused)
{
    draw(copy_split);
    return unused;
}

static void *draw_here(void *unused)
{
    draw(split);
    return unused;
}

int main(void)
{
    void *h = dlmopen(LM_ID_NEWLM, LIBRARY_PATH, RTLD_NOW);
    if (!h)
        return 1;
    copy_begin = (void (*)(void))dlsym(h, "copy_begin");
    copy_draw = (void (*)(void))dlsym(h, "copy_draw");
    copy_split = (void (*)(void))dlsym(h, "copy_split");
    copy_begin();
    together(draw_there, draw_here, 0);
    puts("done");
    return 0;
}
#endif
