// Message queues and System V semaphores between threads: what came before a send comes before the
// receive, in both directions.
#include <fcntl.h>
#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include "check.h"

enum { TURNS = 200 };

struct message {
    long type;
    char text[8];
};

static int handed; /* ordered by the messages alone */
static mqd_t there, back;
static int queue, set;

static void hand_over(int expected)
{
    CHECK(handed == expected);
    handed++;
}

static void *posix_side(void *arg)
{
    char text[8];
    for (int i = 0; i < TURNS; i++) {
        CHECK(mq_receive(there, text, sizeof text, NULL) == 8);
        hand_over(2 * i + 1);
        CHECK(mq_send(back, text, sizeof text, 0) == 0);
    }
    return arg;
}

static void posix_queues(void)
{
    struct mq_attr attr = {.mq_maxmsg = 1, .mq_msgsize = 8};
    char text[8] = "message";
    there = mq_open("/snag-test-there", O_RDWR | O_CREAT, 0600, &attr);
    back = mq_open("/snag-test-back", O_RDWR | O_CREAT, 0600, &attr);
    if (there < 0 || back < 0)
        return; /* not every container has them */
    mq_unlink("/snag-test-there");
    mq_unlink("/snag-test-back");
    handed = 0;
    pthread_t t = start(posix_side, NULL);
    for (int i = 0; i < TURNS; i++) {
        hand_over(2 * i);
        CHECK(mq_send(there, text, sizeof text, 0) == 0);
        CHECK(mq_receive(back, text, sizeof text, NULL) == 8);
    }
    join(t);
    mq_close(there);
    mq_close(back);
}

static void *sysv_side(void *arg)
{
    struct message m;
    for (int i = 0; i < TURNS; i++) {
        CHECK(msgrcv(queue, &m, sizeof m.text, 1, 0) == 8);
        hand_over(2 * i + 1);
        m.type = 2;
        CHECK(msgsnd(queue, &m, sizeof m.text, 0) == 0);
    }
    return arg;
}

static void sysv_queue(void)
{
    struct message m = {1, "message"};
    queue = msgget(IPC_PRIVATE, 0600);
    CHECK(queue >= 0);
    handed = 0;
    pthread_t t = start(sysv_side, NULL);
    for (int i = 0; i < TURNS; i++) {
        hand_over(2 * i);
        m.type = 1;
        CHECK(msgsnd(queue, &m, sizeof m.text, 0) == 0);
        CHECK(msgrcv(queue, &m, sizeof m.text, 2, 0) == 8);
    }
    join(t);
    CHECK(msgctl(queue, IPC_RMID, NULL) == 0);
}

static void move(unsigned short which, short by)
{
    struct sembuf op = {which, by, 0};
    CHECK(semop(set, &op, 1) == 0);
}

static void *semaphore_side(void *arg)
{
    for (int i = 0; i < TURNS; i++) {
        move(0, -1);
        hand_over(2 * i + 1);
        move(1, 1);
    }
    return arg;
}

static void sysv_semaphores(void)
{
    set = semget(IPC_PRIVATE, 2, 0600);
    CHECK(set >= 0);
    handed = 0;
    pthread_t t = start(semaphore_side, NULL);
    for (int i = 0; i < TURNS; i++) {
        hand_over(2 * i);
        move(0, 1);
        move(1, -1);
    }
    join(t);
    CHECK(semctl(set, 0, IPC_RMID) == 0);
}

int main(void)
{
    posix_queues();
    sysv_queue();
    sysv_semaphores();
    puts("ok");
}
