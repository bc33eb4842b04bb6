/*
 * monitor.c: workers take orders from a hatch and report that they are alive; a monitor looks whether
 * all is well. What is said under the lock is the same every time, so its order says nothing; but
 * happens-before and causally-precedes take it for one.
 * EXCLUDE: hatch_*
 */
#include <pthread.h>
#include <stdlib.h>

#include "work.h"

enum { WORKERS = 3 };

struct hatch {
    pthread_mutex_t lock;
    int next, all;
};

static struct hatch hatch;
static pthread_mutex_t health_lock = PTHREAD_MUTEX_INITIALIZER;
static int healthy = 1, checks;
static int progress, phase, slowest, alarms;
volatile int sink;

int hatch_take(struct hatch *h)
{
    pthread_mutex_lock(&h->lock);
    int order = h->next < h->all ? h->next++ : -1;
    pthread_mutex_unlock(&h->lock);
    return order;
}

static void report_health(void)
{
    pthread_mutex_lock(&health_lock);
    healthy = 1;
    pthread_mutex_unlock(&health_lock);
}

static int is_healthy(void)
{
    pthread_mutex_lock(&health_lock);
    int h = healthy;
    checks++;
    pthread_mutex_unlock(&health_lock);
    return h;
}

static void *work(void *p)
{
    phase = 1; /* no lock */
    report_health();
    for (int order; (order = hatch_take(&hatch)) >= 0;) {
        do_work((unsigned)order);
        if (order % 7 == 3) {
            progress = order; /* no lock, before that of report_health() */
            report_health();
        }
    }
    report_health();
    slowest = 2; /* no lock */
    return p;
}

static void *monitor(void *p)
{
    int n = *(int *)p;
    for (int i = 0; i < n; i++) {
        if (!is_healthy())
            alarms++;
        sink = progress + phase; /* no lock */
        if (!is_healthy())
            alarms++;
    }
    slowest = 1; /* no lock */
    return NULL;
}

int main(int argc, char **argv)
{
    int rounds = 3;
    pthread_t thread[WORKERS + 1];
    hatch.all = argc > 1 ? atoi(argv[1]) : 24;
    pthread_mutex_init(&hatch.lock, NULL);
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    pthread_create(&thread[WORKERS], NULL, monitor, &rounds);
    for (int i = 0; i <= WORKERS; i++)
        pthread_join(thread[i], NULL);
    sink = alarms + slowest + checks;
    return 0;
}
