/*
 * logger.c: threads put lines into a log, a writer empties it; both sides wait on semaphores.
 * EXCLUDE: log_put log_get
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

#include "greeting.h"
#include "work.h"

enum { THREADS = 3, ROOM = 8 };

struct line {
    int from, text;
};

struct log {
    sem_t room, lines;
    pthread_mutex_t lock;
    struct line *slot[ROOM];
    int head, tail;
};

static struct log log_;
static pthread_mutex_t mode_lock = PTHREAD_MUTEX_INITIALIZER;
static int level, mode, dropped, rotated, newest;
volatile int sink;

void log_put(struct log *l, struct line *line)
{
    sem_wait(&l->room);
    pthread_mutex_lock(&l->lock);
    l->slot[l->tail++ % ROOM] = line;
    pthread_mutex_unlock(&l->lock);
    sem_post(&l->lines);
}

struct line *log_get(struct log *l)
{
    sem_wait(&l->lines);
    pthread_mutex_lock(&l->lock);
    struct line *line = l->slot[l->head++ % ROOM];
    pthread_mutex_unlock(&l->lock);
    sem_post(&l->room);
    return line;
}

static void set_mode(int m)
{
    pthread_mutex_lock(&mode_lock);
    mode = m;
    pthread_mutex_unlock(&mode_lock);
}

static void *talk(void *p)
{
    greet(5);
    for (int n = *(int *)p, i = 0; i < n; i++) {
        struct line *line = malloc(sizeof *line);
        line->from = i;
        line->text = i * 3;
        do_work((unsigned)i);
        if (i == n / 2) {
            level = 2; /* no lock, before that of set_mode() */
            set_mode(1);
        }
        newest = i; /* no lock */
        if (i % 5 == 4)
            dropped++; /* no lock */
        log_put(&log_, line);
    }
    return NULL;
}

static void *write_log(void *p)
{
    int n = *(int *)p, sum = 0;
    for (int i = 0; i < n; i++) {
        struct line *line = log_get(&log_);
        sum += line->text + line->from;
        free(line);
        if (i == n / 3) {
            set_mode(0);
            rotated = level;
        }
    }
    sink = sum;
    return NULL;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 10, all = n * THREADS;
    pthread_t thread[THREADS], writer;
    sem_init(&log_.room, 0, ROOM);
    sem_init(&log_.lines, 0, 0);
    pthread_mutex_init(&log_.lock, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, talk, &n);
    pthread_create(&writer, NULL, write_log, &all);
    sink = greeting();
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    pthread_join(writer, NULL);
    sink = dropped + rotated + newest + mode;
    return 0;
}
