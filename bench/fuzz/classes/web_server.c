/* web_server.c: connections over socket pairs, a pool of workers, a log and a counter without a lock (the
 * paper's jigsaw). */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { WORKERS = 2, REQUESTS = 6 };
static int queue[REQUESTS], first, last, served, stopping;
static char last_request[32];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void serve(int fd)
{
    char request[32] = "";
    ssize_t n = read(fd, request, sizeof request - 1);
    strcpy(last_request, request); /* not guarded */
    served++;                      /* not guarded */
    if (n > 0 && write(fd, "ok", 2) != 2)
        perror("write");
    close(fd);
}

static void *worker(void *arg)
{
    for (;;) {
        pthread_mutex_lock(&m);
        while (first == last && !stopping)
            pthread_cond_wait(&c, &m);
        int fd = first < last ? queue[first++] : -1;
        pthread_mutex_unlock(&m);
        if (fd < 0)
            return arg;
        serve(fd);
    }
}

static int request(int i)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) || write(ends[0], "GET /", 5) != 5)
        return -1;
    pthread_mutex_lock(&m);
    queue[last++] = ends[1];
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    (void)i;
    return ends[0];
}

int main(void)
{
    pthread_t t[WORKERS];
    int answer[REQUESTS];
    char ok[4];
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < REQUESTS; i++)
        answer[i] = request(i);
    for (int i = 0; i < REQUESTS; i++)
        if (read(answer[i], ok, sizeof ok) != 2)
            return 2;
    pthread_mutex_lock(&m);
    stopping = 1;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(t[i], NULL);
    return served != REQUESTS;
}
