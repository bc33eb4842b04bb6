/* request_fixed.c: request.c without its bug: the worker is waited for before the request goes. */
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
    pthread_join(t, NULL);
    free(r);
    return 0;
}
