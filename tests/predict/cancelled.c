/* cancelled.c: a thread that waits at a pipe until it is cancelled, and a counter afterwards. With
 * "race" nothing orders its increments; with "stuck" nobody cancels the thread. */
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <unistd.h>

static sem_t waits;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter, ended, race;

static void note(void *arg)
{
    *(int *)arg = 1;
}

static void *wait_at_pipe(void *arg)
{
    int ends[2];
    char byte;
    if (pipe(ends))
        return arg;
    pthread_cleanup_push(note, &ended);
    sem_post(&waits);
    while (read(ends[0], &byte, 1) < 0)
        ;
    pthread_cleanup_pop(0);
    return arg;
}

static void add(void)
{
    if (!race)
        pthread_mutex_lock(&lock);
    counter++;
    if (!race)
        pthread_mutex_unlock(&lock);
}

static void *work(void *arg)
{
    add();
    return arg;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    pthread_t t;
    race = strcmp(how, "race") == 0;
    sem_init(&waits, 0, 0);
    pthread_create(&t, NULL, wait_at_pipe, NULL);
    sem_wait(&waits);
    if (strcmp(how, "stuck") != 0)
        pthread_cancel(t);
    pthread_join(t, NULL);
    pthread_create(&t, NULL, work, NULL);
    add();
    pthread_join(t, NULL);
    return !ended;
}
