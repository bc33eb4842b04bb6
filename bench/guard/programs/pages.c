/*
 * pages.c: a server with a pool of threads: requests for pages come over sockets, go through a
 * queue to the workers, are rendered or found in a cache under a lock, counted, and answered. The
 * clients are in the same process. Prints a checksum of the answers, which is the same in every
 * run; then the seconds that it took, and how many microseconds half of the requests took at most,
 * and 99 of 100. pages [REQUESTS [WORKERS]]
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { PAGES = 256, PAGE_BYTES = 4096, CLIENTS = 4, QUEUE = 64 };

struct request {
    int socket;
    uint32_t page;
};

static struct request queue[QUEUE];
static unsigned head, filled;
static int closing;
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;

static char *cache[PAGES];
static unsigned long hits, misses;
static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;

static unsigned requests = 20000, workers = 4;

static void put(struct request r)
{
    pthread_mutex_lock(&queue_lock);
    while (filled == QUEUE)
        pthread_cond_wait(&not_full, &queue_lock);
    queue[(head + filled++) % QUEUE] = r;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&queue_lock);
}

static int take(struct request *r)
{
    pthread_mutex_lock(&queue_lock);
    while (!filled && !closing)
        pthread_cond_wait(&not_empty, &queue_lock);
    int got = filled > 0;
    if (got) {
        *r = queue[head];
        head = (head + 1) % QUEUE;
        filled--;
        pthread_cond_signal(&not_full);
    }
    pthread_mutex_unlock(&queue_lock);
    return got;
}

static char *render(uint32_t page)
{
    char *text = malloc(PAGE_BYTES);
    size_t n = 0;
    for (unsigned line = 0; n < PAGE_BYTES - 64; line++)
        n +=
            (size_t)snprintf(text + n, PAGE_BYTES - n, "page %u line %u of the text\n", page, line);
    memset(text + n, '.', PAGE_BYTES - n);
    return text;
}

/* Every 64th answer drops a page, so that rendering goes on. */
static void copy_page(uint32_t page, char *to)
{
    pthread_mutex_lock(&cache_lock);
    if (!cache[page]) {
        cache[page] = render(page);
        misses++;
    } else {
        hits++;
    }
    memcpy(to, cache[page], PAGE_BYTES);
    if ((hits + misses) % 64 == 0) {
        free(cache[page]);
        cache[page] = NULL;
    }
    pthread_mutex_unlock(&cache_lock);
}

static void *serve(void *unused)
{
    struct request r;
    char answer[PAGE_BYTES];
    (void)unused;
    while (take(&r)) {
        copy_page(r.page, answer);
        if (write(r.socket, answer, sizeof answer) != sizeof answer)
            abort();
    }
    return NULL;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static float *took; /* by request, of each client in a row */

static void *ask(void *arg)
{
    int *pair = arg;
    float *mine = took + (unsigned)(pair[2] - 1) * (requests / CLIENTS);
    uint64_t sum = 0, seed = (uint64_t)pair[2];
    char answer[PAGE_BYTES];
    for (unsigned i = 0; i < requests / CLIENTS; i++) {
        double begin = now();
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        put((struct request){pair[1], (uint32_t)(seed >> 33) % PAGES});
        for (size_t got = 0; got < sizeof answer;) {
            ssize_t n = read(pair[0], answer + got, sizeof answer - got);
            if (n <= 0)
                abort();
            got += (size_t)n;
        }
        for (size_t k = 0; k < sizeof answer; k += 64)
            sum = sum * 31 + (unsigned char)answer[k];
        mine[i] = (float)(now() - begin);
    }
    return (void *)(uintptr_t)sum;
}

static int compare(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

int main(int argc, char **argv)
{
    pthread_t server[64], client[CLIENTS];
    int pair[CLIENTS][3];
    uint64_t sum = 0;
    requests = argc > 1 ? (unsigned)atoi(argv[1]) : requests;
    workers = argc > 2 ? (unsigned)atoi(argv[2]) : workers;
    unsigned all = requests / CLIENTS * CLIENTS;
    double begin = now();
    took = calloc(all + 1, sizeof *took);
    for (unsigned i = 0; i < workers; i++)
        pthread_create(&server[i], NULL, serve, NULL);
    for (int i = 0; i < CLIENTS; i++) {
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair[i]) != 0)
            return 2;
        pair[i][2] = i + 1;
        pthread_create(&client[i], NULL, ask, pair[i]);
    }
    for (int i = 0; i < CLIENTS; i++) {
        void *part;
        pthread_join(client[i], &part);
        sum = sum * 7 + (uintptr_t)part;
    }
    pthread_mutex_lock(&queue_lock);
    closing = 1;
    pthread_cond_broadcast(&not_empty);
    pthread_mutex_unlock(&queue_lock);
    for (unsigned i = 0; i < workers; i++)
        pthread_join(server[i], NULL);
    double seconds = now() - begin;
    qsort(took, all, sizeof *took, compare);
    printf("%llx\nseconds %.6f %.1f %.1f\n", (unsigned long long)sum, seconds,
           1e6 * (double)took[all / 2], 1e6 * (double)took[all - all / 100]);
    return hits + misses != all;
}
