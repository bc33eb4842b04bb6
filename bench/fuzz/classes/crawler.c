/* crawler.c: workers take pages from a queue and find more; the end is noticed without the lock (the
 * paper's weblech and hedc). */
#include <pthread.h>

enum { PAGES = 24, THREADS = 3 };
static int queue[4 * PAGES], first, last, busy, done[PAGES];
static volatile int stop;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;

static int take(void)
{
    pthread_mutex_lock(&m);
    while (first == last && !stop) {
        if (!busy) {
            stop = 1;
            pthread_cond_broadcast(&more);
            break;
        }
        pthread_cond_wait(&more, &m);
    }
    int page = first < last ? queue[first++] : -1;
    busy += page >= 0;
    pthread_mutex_unlock(&m);
    return page;
}

static void finish(int page)
{
    pthread_mutex_lock(&m);
    for (int i = 1; i <= 2; i++)
        if (2 * page + i < PAGES)
            queue[last++] = 2 * page + i;
    busy--;
    pthread_cond_broadcast(&more);
    pthread_mutex_unlock(&m);
}

static void *worker(void *arg)
{
    while (!stop) { /* not guarded */
        int page = take();
        if (page < 0)
            break;
        done[page]++;
        finish(page);
    }
    return arg;
}

int main(void)
{
    pthread_t t[THREADS];
    queue[last++] = 0;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < PAGES; i++)
        if (done[i] != 1)
            return 1;
    return 0;
}
