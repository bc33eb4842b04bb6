/*
 * A detached thread writes and ends; then 600 threads come and go, which may take over all that is
 * remembered of it; then another thread reads.
 *
 * pairs: left-found left_too-found_too
 */
#include "hidden.h"

int left, left_too;
int found;
int briefs[8];

static void *leave(void *arg)
{
    (void)arg;
    left = 1;     /* [left] */
    left_too = 1; /* [left_too] */
    hidden_pass();
    return NULL;
}

static void *brief(void *arg)
{
    briefs[(intptr_t)arg]++;
    return NULL;
}

static void *find(void *arg)
{
    (void)arg;
    hidden_wait(2);
    found += left; /* [found] */
    left_too = 2;  /* [found_too] */
    return NULL;
}

int main(void)
{
    pthread_t leaver, finder, others[8];

    if (pthread_create(&finder, NULL, find, NULL) || pthread_create(&leaver, NULL, leave, NULL))
        return 1;
    pthread_detach(leaver);
    hidden_wait(1);
    for (int round = 0; round < 75; round++) {
        for (intptr_t i = 0; i < 8; i++)
            if (pthread_create(&others[i], NULL, brief, (void *)i))
                return 1;
        for (int i = 0; i < 8; i++)
            pthread_join(others[i], NULL);
    }
    hidden_pass();
    pthread_join(finder, NULL);
    return found != 1 || briefs[7] != 75;
}
