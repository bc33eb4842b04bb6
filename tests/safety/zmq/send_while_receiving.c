// EXPECT: zmq_recv zmq_send
// EXPECT-STACK: wait
// LIB: libzmq.so.5
// One thread waits for a message, another sends on the same socket. The message that ends the wait comes from a
// second socket.
#include <stddef.h>
#include <stdio.h>

#include "together.h"

void *zmq_ctx_new(void);
void *zmq_socket(void *c, int type);
int zmq_bind(void *s, const char *where);
int zmq_connect(void *s, const char *where);
int zmq_send(void *s, const void *data, size_t n, int flags);
int zmq_recv(void *s, void *data, size_t n, int flags);

enum { ZMQ_PAIR = 0, ZMQ_DONTWAIT = 1 };

static void *one, *other;
static atomic_int waiting;

static void *wait(void *unused)
{
    char data[8];
    atomic_store(&waiting, 1);
    zmq_recv(one, data, sizeof data, 0);
    return unused;
}

static void *send(void *unused)
{
    while (!atomic_load(&waiting))
        sched_yield();
    for (int i = 0; i < 200; i++) {
#ifndef FIXED
        zmq_send(one, "x", 1, ZMQ_DONTWAIT);
#endif
        sched_yield();
    }
    zmq_send(other, "x", 1, 0);
    return unused;
}

int main(void)
{
    void *c = zmq_ctx_new();
    one = zmq_socket(c, ZMQ_PAIR);
    other = zmq_socket(c, ZMQ_PAIR);
    zmq_bind(one, "inproc://a");
    zmq_connect(other, "inproc://a");
    together(wait, send, 0);
    puts("done");
    return 0;
}
