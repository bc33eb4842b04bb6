// A pool runs its jobs side by side, unless it has one thread only.
// EXPECT: data-race JOB/write JOB
#include "../twin.h"

typedef struct _GThread GThread;
typedef union { void *p; unsigned i[2]; } GMutex;
extern GThread *g_thread_new(const char *name, void *(*func)(void *), void *data);
extern void *g_thread_join(GThread *thread);
extern void g_mutex_lock(GMutex *mutex);
extern void g_mutex_unlock(GMutex *mutex);

typedef struct _GThreadPool GThreadPool;
extern GThreadPool *g_thread_pool_new(void (*func)(void *, void *), void *data, int max, int exclusive, void *error);
extern int g_thread_pool_push(GThreadPool *pool, void *data, void *error);
extern void g_thread_pool_free(GThreadPool *pool, int immediate, int wait);

static int done;

static void job(void *data, void *user)
{
    (void)data, (void)user;
    done++; // JOB
}

int main(void)
{
    GThreadPool *pool = g_thread_pool_new(job, NULL, PICK(4, 1), 0, NULL);
    for (long i = 1; i < 4; i++)
        g_thread_pool_push(pool, (void *)i, NULL);
    g_thread_pool_free(pool, 0, 1);
    return done;
}
