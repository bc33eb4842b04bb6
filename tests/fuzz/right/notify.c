/* notify.c: a thread that libc makes by itself, when a message comes into a queue, wakes the only
 * thread that there is. With an argument no message comes, and all wait for ever. */
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static sem_t came;
static int value;

static void note(union sigval v)
{
    value = v.sival_int;
    sem_post(&came);
}

int main(int argc, char **argv)
{
    char name[32];
    struct mq_attr attr = {.mq_maxmsg = 2, .mq_msgsize = 8};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_value.sival_int = 5};
    (void)argv;
    event.sigev_notify_function = note;
    snprintf(name, sizeof name, "/snag-notify-%d", getpid());
    mqd_t queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attr);
    if (queue == (mqd_t)-1)
        return 0; /* this machine has none */
    mq_unlink(name);
    sem_init(&came, 0, 0);
    if (mq_notify(queue, &event) || (argc == 1 && mq_send(queue, "x", 1, 0)))
        return 2;
    sem_wait(&came);
    return value != 5;
}
