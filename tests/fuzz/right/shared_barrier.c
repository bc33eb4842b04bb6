/* shared_barrier.c: two processes meet at a barrier and take turns by a semaphore, both in shared
 * memory: whoever waits there waits for the other process, which is no deadlock. */
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct shared {
    pthread_barrier_t barrier;
    sem_t turn;
    int n;
};

int main(void)
{
    struct shared *s =
        mmap(0, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_barrierattr_t attr;
    int status;
    pthread_barrierattr_init(&attr);
    pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&s->barrier, &attr, 2);
    sem_init(&s->turn, 1, 0);
    pid_t child = fork();
    if (child == 0) {
        s->n = 5;
        pthread_barrier_wait(&s->barrier);
        sem_post(&s->turn);
        _exit(0);
    }
    pthread_barrier_wait(&s->barrier);
    sem_wait(&s->turn);
    return waitpid(child, &status, 0) != child || status || s->n != 5;
}
