/*
 * copies.c: structs of all sizes are handed from thread to thread by assignment, each under a lock.
 * The recorder hears of such a write before it hears of the read that it copies from.
 */
#include <pthread.h>

enum { TIMES = 200, THREADS = 3 };

struct one {
    char c[1];
};
struct four {
    short a, b;
};
struct eight {
    int a, b;
};
struct twelve {
    int a, b, c;
};
struct forty {
    char *p;
    int a[7];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct one one[2];
static struct four four[2];
static struct eight eight[2];
static struct twelve twelve[2];
static struct forty forty[2];
static int full, sum;

static void put(int n)
{
    struct one o = {{(char)n}};
    struct four f = {(short)n, 2};
    struct eight e = {n, 3};
    struct twelve t = {n, 4, n};
    struct forty y = {(char *)&one[n & 1], {n, 1, 2, 3, 4, 5, n}};
    one[n & 1] = o;
    four[n & 1] = f;
    eight[n & 1] = e;
    twelve[n & 1] = t;
    forty[n & 1] = y;
    full = 1;
}

static void take(int n)
{
    one[0] = one[1];
    four[0] = four[1];
    eight[0] = eight[1];
    twelve[0] = twelve[1];
    forty[0] = forty[1];
    sum += one[0].c[0] + four[0].a + eight[0].a + twelve[0].c + forty[0].a[6] + n;
    full = 0;
}

static void *work(void *p)
{
    for (int i = 0; i < TIMES; i++) {
        pthread_mutex_lock(&lock);
        if (full)
            take(i);
        else
            put(i);
        pthread_mutex_unlock(&lock);
    }
    return p;
}

int main(void)
{
    pthread_t t[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    return sum == 0;
}
