// EXPECT: uv_run uv_timer_stop
// LIB: libuv.so.1
// A handle is used by another thread while its loop runs. The fix wakes the loop, which does it itself.
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

#include "together.h"

void *uv_default_loop(void);
int uv_run(void *loop, int mode);
size_t uv_handle_size(int type);
int uv_timer_init(void *loop, void *timer);
int uv_timer_start(void *timer, void (*call)(void *), unsigned long long ms, unsigned long long again);
int uv_timer_stop(void *timer);
int uv_async_init(void *loop, void *async, void (*call)(void *));
int uv_async_send(void *async);
void uv_close(void *handle, void (*call)(void *));

enum { UV_ASYNC = 1, UV_TIMER = 13 };

static void *loop, *timer, *async;
static sem_t ticked, asked;

static void on_tick(void *t)
{
    (void)t;
    sem_post(&ticked);
    sem_wait(&asked);
}

static void on_wake(void *a)
{
    uv_timer_stop(timer);
    uv_close(timer, 0);
    uv_close(a, 0);
}

static void *run(void *unused)
{
    uv_run(loop, 0);
    return unused;
}

static void *stop(void *unused)
{
    sem_wait(&ticked);
#ifndef FIXED
    uv_timer_stop(timer);
#endif
    uv_async_send(async);
    sem_post(&asked);
    return unused;
}

int main(void)
{
    loop = uv_default_loop();
    timer = calloc(1, uv_handle_size(UV_TIMER));
    async = calloc(1, uv_handle_size(UV_ASYNC));
    sem_init(&ticked, 0, 0);
    sem_init(&asked, 0, 0);
    uv_timer_init(loop, timer);
    uv_async_init(loop, async, on_wake);
    uv_timer_start(timer, on_tick, 0, 0);
    together(run, stop, 0);
    puts("done");
    return 0;
}
