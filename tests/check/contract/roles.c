// A contract of one's own: one sender and one receiver may overlap, two senders may not; and a lock that
// the library makes itself.
// EXPECT: thread-safety-violation SEND SEND
// OPTIONS: --contracts pipe.contract
#include "../twin.h"

struct pipe;
struct pipe *pipe_new(void);
void pipe_send(struct pipe *p, int v);
int pipe_receive(struct pipe *p);
void pipe_lock(struct pipe *p);
void pipe_unlock(struct pipe *p);

static struct pipe *shared;
static int total;

static void *send(void *arg)
{
    FIX(pipe_lock(shared));
    pipe_send(shared, 1); // SEND
    FIX(pipe_unlock(shared));
    pipe_lock(shared);
    total++;
    pipe_unlock(shared);
    return arg;
}

static void *receive(void *arg)
{
    pipe_receive(shared);
    return arg;
}

int main(void)
{
    pthread_t t;
    shared = pipe_new();
    pthread_create(&t, NULL, receive, NULL);
    run_two(send, send);
    pthread_join(t, NULL);
    return total;
}
