/*
 * Heap objects handed over: producers build messages on the heap, consumers of a locked list read
 * and free them. Memory goes round between threads; SCALE thousand messages per producer.
 */
#include "work.h"

#define BATCH 32

struct message {
    struct message *next;
    uint32_t length;
    uint32_t from;
    unsigned char text[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static pthread_cond_t emptied = PTHREAD_COND_INITIALIZER;
static struct message *pending;
static unsigned pending_count, producers, producing;
static unsigned long scale;
static uint64_t sums[WORK_THREADS_MAX];

static struct message *build(unsigned from, uint64_t random)
{
    uint32_t length = 16 + (uint32_t)(random % 48);
    struct message *message = malloc(sizeof *message + length);

    if (!message)
        work_fail("out of memory");
    message->length = length;
    message->from = from;
    for (uint32_t i = 0; i < length; i++)
        message->text[i] = (unsigned char)(random >> (i % 56));
    return message;
}

static void give(struct message *message)
{
    pthread_mutex_lock(&lock);
    while (pending_count >= BATCH * 8)
        pthread_cond_wait(&emptied, &lock);
    message->next = pending;
    pending = message;
    if (++pending_count % BATCH == 0)
        pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
}

/* Takes all that is there; NULL when nothing is and nothing will come. */
static struct message *take(void)
{
    struct message *all;

    pthread_mutex_lock(&lock);
    while (!pending && producing)
        pthread_cond_wait(&filled, &lock);
    all = pending;
    pending = NULL;
    pending_count = 0;
    pthread_cond_broadcast(&emptied);
    pthread_mutex_unlock(&lock);
    return all;
}

static uint64_t read_and_free(struct message *message)
{
    uint64_t sum = message->from;

    for (uint32_t i = 0; i < message->length; i++)
        sum = sum * 31 + message->text[i];
    free(message);
    return work_mix(sum);
}

static void produce(unsigned self)
{
    uint64_t seed = self + 1;

    for (unsigned long i = 0; i < scale * 1000; i++)
        give(build(self, work_random(&seed)));
    pthread_mutex_lock(&lock);
    producing--;
    pthread_cond_broadcast(&filled);
    pthread_mutex_unlock(&lock);
}

static void *worker(void *arg)
{
    unsigned self = (unsigned)(uintptr_t)arg;
    struct message *message, *next;
    uint64_t sum = 0;

    if (self < producers) {
        produce(self);
        return NULL;
    }
    while ((message = take()))
        for (; message; message = next) {
            next = message->next;
            sum += read_and_free(message);
        }
    sums[self] = sum;
    return NULL;
}

int main(int argc, char **argv)
{
    struct work_args args = work_parse(argc, argv, 4, 250);
    unsigned threads = args.threads < 2 ? 2 : args.threads;
    uint64_t sum = 0;

    scale = args.scale;
    producers = producing = threads / 2;
    work_run(threads, worker);
    for (unsigned i = 0; i < threads; i++)
        sum += sums[i];
    return work_print("handoff", sum);
}
