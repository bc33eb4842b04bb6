// A block is freed while another thread uses it.
// EXPECT: data-race USE FREE/free
#include "../twin.h"

static int *block, seen;

static void *use(void *arg)
{
    seen = *block; // USE
    return arg;
}

int main(void)
{
    pthread_t t;
    block = calloc(1, sizeof *block);
    pthread_create(&t, NULL, use, NULL);
    BUG(free(block)); // FREE
    pthread_join(t, NULL);
    FIX(free(block));
    return seen;
}
