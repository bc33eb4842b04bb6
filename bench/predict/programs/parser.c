/*
 * parser.c: workers parse lines and enter names into a table that locks itself.
 * EXCLUDE: table_* next_line
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "greeting.h"
#include "work.h"

enum { WORKERS = 3, NAMES = 32 };

struct table {
    pthread_rwlock_t lock;
    char name[NAMES][8];
    int count;
};

struct input {
    pthread_mutex_t lock;
    int next, all;
};

static struct table table;
static struct input input;
static pthread_mutex_t report_lock = PTHREAD_MUTEX_INITIALIZER;
static int errors, longest, last_report, strict, warned;
volatile int sink;

int next_line(struct input *in)
{
    pthread_mutex_lock(&in->lock);
    int line = in->next < in->all ? in->next++ : -1;
    pthread_mutex_unlock(&in->lock);
    return line;
}

int table_find(struct table *t, const char *name)
{
    int found = -1;
    pthread_rwlock_rdlock(&t->lock);
    for (int i = 0; i < t->count && found < 0; i++)
        if (strcmp(t->name[i], name) == 0)
            found = i;
    pthread_rwlock_unlock(&t->lock);
    return found;
}

void table_add(struct table *t, const char *name)
{
    pthread_rwlock_wrlock(&t->lock);
    if (t->count < NAMES)
        strcpy(t->name[t->count++], name);
    pthread_rwlock_unlock(&t->lock);
}

static void report(int line)
{
    pthread_mutex_lock(&report_lock);
    last_report = line;
    pthread_mutex_unlock(&report_lock);
}

static void parse(int line)
{
    do_work((unsigned)line);
    char name[8] = {(char)('a' + line % 26), (char)('a' + line / 26 % 26)};
    if (line % 9 == 0) {
        errors++;   /* no lock */
        strict = 1; /* nor here, before that of report() */
        report(line);
    }
    if (table_find(&table, name) < 0)
        table_add(&table, name);
    if (line > longest)
        longest = line; /* no lock */
}

static void *work(void *p)
{
    greet(4);
    for (int line; (line = next_line(&input)) >= 0;)
        parse(line);
    return p;
}

static void *watch(void *p)
{
    for (int i = 0; i < 4; i++) {
        report(-i);
        if (strict)
            warned = 1;
    }
    return p;
}

int main(int argc, char **argv)
{
    pthread_t thread[WORKERS + 1];
    input.all = argc > 1 ? atoi(argv[1]) : 36;
    pthread_mutex_init(&input.lock, NULL);
    pthread_rwlock_init(&table.lock, NULL);
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    pthread_create(&thread[WORKERS], NULL, watch, NULL);
    sink = greeting();
    for (int i = 0; i <= WORKERS; i++)
        pthread_join(thread[i], NULL);
    sink = errors + longest + warned + table.count;
    return 0;
}
