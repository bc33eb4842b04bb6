// pthread_once against a flag of one's own.
// EXPECT: data-race INIT/write INIT
// ALLOW: data-race FLAG FLAG
// ALLOW: data-race INIT USE
#include "../twin.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int table, done, seen[2];

static void initialise(void)
{
    table = 1; // INIT
}

static void *use(void *arg)
{
    FIX(pthread_once(&once, initialise));
    BUG(if (!done) { initialise(); done = 1; }) // FLAG
    seen[(long)arg] = table; // USE
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, use, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return done;
}
