/*
 * request.c: main frees the request while the worker may still write the answer into it. Kind: data
 * race with a free. Find it with `snag race`. request_fixed.c is its twin.
 */
#include <pthread.h>
#include <stdlib.h>

struct request {
    int question, answer;
};

static void *work(void *arg)
{
    struct request *r = arg;
    r->answer = r->question * 2;
    return NULL;
}

int main(void)
{
    pthread_t t;
    struct request *r = calloc(1, sizeof *r);
    r->question = 21;
    pthread_create(&t, NULL, work, r);
    free(r);
    pthread_join(t, NULL);
    return 0;
}
