/*
 * A load for memcached: starts the server, sends REQUESTS get and set requests over loopback on
 * several pipelined connections, checks every byte of every answer, and has the server shut down.
 *
 * usage: mcload REQUESTS CONNECTIONS SERVER [ARGS…]     the word PORT in ARGS becomes a free port
 * The server must allow the command `shutdown` (memcached -A). Two lines are printed: a checksum of
 * the answers, the same in every run, and the seconds that the load took without the server's start
 * and end. The status is the server's, or 1 when an answer was wrong.
 *
 * With MCLOAD_RATE=N in the environment, N exchanges are begun in a second, spread evenly, whether
 * the answers come in time or not, and half of them and 99 of 100 took at most so long:
 * "microseconds P50 P99", from when an exchange was due.
 *
 * With MCLOAD_SLICES in the environment, REQUESTS are sent again and again, each time that a line
 * comes from the standard input, until that ends, so that two servers can be loaded in turns:
 * "slice SECONDS SERVER P50 P99" for each, with the processor time of the server in seconds and the
 * two times as above, in microseconds.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CONNECTIONS_MAX 64
#ifndef PIPELINE
#define PIPELINE 16 /* requests that are sent before their answers are read */
#endif
#define KEYS 1000        /* of each connection */
#define SHARED 50        /* keys that all connections read */
#define REQUEST_MAX 512  /* bytes of one request or answer, at most */
#define START_SECONDS 60 /* a server under a slow tool takes its time */

struct connection {
    pthread_t thread;
    int socket;
    unsigned number;
    unsigned long requests;
    uint64_t seed;
    uint64_t checksum;
    uint8_t version[KEYS]; /* of the value that was last set; 0: never */
    float *took;           /* seconds of each exchange, when they are measured */
    unsigned long exchanges;
};

struct batch {
    char request[PIPELINE * REQUEST_MAX];
    char answer[PIPELINE * REQUEST_MAX]; /* that must come */
    size_t request_size, answer_size;
};

static int port;
static double interval; /* between the exchanges of one connection; 0: as fast as it goes */

static void fail(const char *what)
{
    fprintf(stderr, "mcload: %s: %s\n", what, strerror(errno));
    exit(1);
}

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static struct sockaddr_in address(int at)
{
    struct sockaddr_in result = {.sin_family = AF_INET, .sin_port = htons((uint16_t)at)};

    result.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return result;
}

static int free_port(void)
{
    struct sockaddr_in at = address(0);
    socklen_t size = sizeof at;
    int probe = socket(AF_INET, SOCK_STREAM, 0);

    if (probe < 0 || bind(probe, (struct sockaddr *)&at, sizeof at) ||
        getsockname(probe, (struct sockaddr *)&at, &size))
        fail("no free port");
    close(probe);
    return ntohs(at.sin_port);
}

static int try_connect(void)
{
    struct sockaddr_in at = address(port);
    struct timeval limit = {.tv_sec = START_SECONDS};
    int one = 1, fd = socket(AF_INET, SOCK_STREAM, 0);

    if (fd < 0)
        fail("socket");
    if (connect(fd, (struct sockaddr *)&at, sizeof at)) {
        close(fd);
        return -1;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    return fd;
}

static int connect_to(pid_t server)
{
    double end = now() + START_SECONDS;
    struct timespec pause = {.tv_nsec = 5000000};

    while (now() < end) {
        int fd = try_connect();

        if (fd >= 0)
            return fd;
        if (waitpid(server, NULL, WNOHANG) == server)
            break;
        nanosleep(&pause, NULL);
    }
    fail("cannot reach the server");
    return -1;
}

static pid_t start(char **argv)
{
    static char text[16];
    pid_t server;

    snprintf(text, sizeof text, "%d", port);
    for (int i = 0; argv[i]; i++)
        if (strcmp(argv[i], "PORT") == 0)
            argv[i] = text;
    server = fork();
    if (server < 0)
        fail("fork");
    if (server == 0) {
        execvp(argv[0], argv);
        fprintf(stderr, "mcload: %s: %s\n", argv[0], strerror(errno));
        _exit(127);
    }
    return server;
}

static void send_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t sent = send(fd, bytes, size, MSG_NOSIGNAL);

        if (sent <= 0)
            fail("send");
        bytes += sent;
        size -= (size_t)sent;
    }
}

static void receive_all(int fd, char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t got = recv(fd, bytes, size, 0);

        if (got <= 0)
            fail("receive");
        bytes += got;
        size -= (size_t)got;
    }
}

static uint64_t next(struct connection *connection)
{
    uint64_t x = connection->seed;

    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return connection->seed = x;
}

/* A value is made of its owner, key and version, so that what must come back is known. */
static int make_value(char *value, unsigned owner, unsigned key, unsigned version)
{
    int size = 20 + (int)((key * 7 + version * 13) % 180);

    for (int i = 0; i < size; i++)
        value[i] = (char)('a' + (owner + key + version + (unsigned)i) % 26);
    value[size] = 0;
    return size;
}

static void add_set(struct batch *batch, unsigned owner, unsigned key, unsigned version)
{
    char value[REQUEST_MAX];
    int size = make_value(value, owner, key, version);

    batch->request_size += (size_t)sprintf(batch->request + batch->request_size,
                                           "set k%u.%u 0 0 %d\r\n%s\r\n", owner, key, size, value);
    batch->answer_size += (size_t)sprintf(batch->answer + batch->answer_size, "STORED\r\n");
}

static void add_get(struct batch *batch, unsigned owner, unsigned key, unsigned version)
{
    char value[REQUEST_MAX];
    char *answer = batch->answer + batch->answer_size;
    int size = make_value(value, owner, key, version);

    batch->request_size +=
        (size_t)sprintf(batch->request + batch->request_size, "get k%u.%u\r\n", owner, key);
    if (version)
        answer += sprintf(answer, "VALUE k%u.%u 0 %d\r\n%s\r\n", owner, key, size, value);
    answer += sprintf(answer, "END\r\n");
    batch->answer_size = (size_t)(answer - batch->answer);
}

/* One set in ten; one get in five asks for a key that all connections share. */
static void add_request(struct connection *connection, struct batch *batch)
{
    uint64_t random = next(connection);
    unsigned key = (unsigned)(random >> 8) % KEYS;

    if (random % 10 == 0) {
        connection->version[key] = (uint8_t)(connection->version[key] % 250 + 1);
        add_set(batch, connection->number, key, connection->version[key]);
    } else if (random % 5 == 1) {
        add_get(batch, CONNECTIONS_MAX, key % SHARED, 1);
    } else {
        add_get(batch, connection->number, key, connection->version[key]);
    }
}

static void exchange(struct connection *connection, struct batch *batch)
{
    char answer[PIPELINE * REQUEST_MAX];

    send_all(connection->socket, batch->request, batch->request_size);
    receive_all(connection->socket, answer, batch->answer_size);
    if (memcmp(answer, batch->answer, batch->answer_size) != 0) {
        fprintf(stderr, "mcload: a wrong answer\n");
        exit(1);
    }
    for (size_t i = 0; i < batch->answer_size; i++)
        connection->checksum = connection->checksum * 31 + (unsigned char)answer[i];
    batch->request_size = batch->answer_size = 0;
}

static void wait_until(double due)
{
    double left = due - now();
    struct timespec pause = {.tv_nsec = (long)(left * 1e9)};

    if (left > 0)
        nanosleep(&pause, NULL); /* an interval is less than a second */
}

/* Late ones are begun at once, and their time counts from when they were due. */
static void exchange_in_time(struct connection *connection, struct batch *batch, double begin)
{
    double due = interval > 0 ? begin + interval * (double)(connection->exchanges + 1) : now();

    wait_until(due);
    exchange(connection, batch);
    connection->took[connection->exchanges++] = (float)(now() - due);
}

static void *load(void *arg)
{
    struct connection *connection = arg;
    struct batch batch = {.request_size = 0};
    double begin = now() + interval * connection->number / CONNECTIONS_MAX;

    for (unsigned long i = 1; i <= connection->requests; i++) {
        add_request(connection, &batch);
        if (i % PIPELINE != 0 && i != connection->requests)
            continue;
        if (connection->took)
            exchange_in_time(connection, &batch, begin);
        else
            exchange(connection, &batch);
    }
    return NULL;
}

static int compare(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return x < y ? -1 : x > y;
}

static void print_times(const char *before, const struct connection *connections, unsigned count)
{
    unsigned long all = 0;
    float *took;

    for (unsigned i = 0; i < count; i++)
        all += connections[i].exchanges;
    if (!all || !(took = malloc(all * sizeof *took)))
        return;
    all = 0;
    for (unsigned i = 0; i < count; i++) {
        memcpy(took + all, connections[i].took, connections[i].exchanges * sizeof *took);
        all += connections[i].exchanges;
    }
    qsort(took, all, sizeof *took, compare);
    printf("%s %.1f %.1f\n", before, 1e6 * took[all / 2], 1e6 * took[all - 1 - all / 100]);
    free(took);
}

static void set_shared(struct connection *connection)
{
    struct batch batch = {.request_size = 0};

    for (unsigned key = 0; key < SHARED; key++) {
        add_set(&batch, CONNECTIONS_MAX, key, 1);
        exchange(connection, &batch);
    }
}

static double run(struct connection *connections, unsigned count)
{
    double begin = now();

    for (unsigned i = 0; i < count; i++)
        if (pthread_create(&connections[i].thread, NULL, load, &connections[i]))
            fail("cannot start a thread");
    for (unsigned i = 0; i < count; i++)
        pthread_join(connections[i].thread, NULL);
    return now() - begin;
}

static double used_by(pid_t server)
{
    struct timespec time = {0};
    clockid_t clock;

    if (clock_getcpuclockid(server, &clock) || clock_gettime(clock, &time))
        fail("the server's processor time");
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void slices(struct connection *connections, unsigned count, pid_t server)
{
    char line[64];

    while (fgets(line, sizeof line, stdin)) {
        double used = used_by(server), seconds;

        for (unsigned i = 0; i < count; i++)
            connections[i].exchanges = 0;
        seconds = run(connections, count);
        snprintf(line, sizeof line, "slice %.6f %.6f", seconds, used_by(server) - used);
        print_times(line, connections, count);
        fflush(stdout);
    }
}

static int stop(int fd, pid_t server)
{
    double end = now() + START_SECONDS;
    struct timespec pause = {.tv_nsec = 5000000};
    int status;

    send_all(fd, "shutdown\r\n", 10);
    while (waitpid(server, &status, WNOHANG) != server) {
        if (now() > end) {
            fprintf(stderr, "mcload: the server does not end\n");
            kill(server, SIGKILL);
        }
        nanosleep(&pause, NULL);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
    static struct connection connections[CONNECTIONS_MAX];
    unsigned long requests = argc > 3 ? strtoul(argv[1], NULL, 10) : 0;
    unsigned count = argc > 3 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
    uint64_t checksum = 0;
    int sliced = getenv("MCLOAD_SLICES") != NULL;
    double seconds;
    pid_t server;

    if (requests < 1 || count < 1 || count > CONNECTIONS_MAX) {
        fprintf(stderr, "usage: mcload REQUESTS CONNECTIONS SERVER [ARGS…]\n");
        return 1;
    }
    if (getenv("MCLOAD_RATE"))
        interval = count / strtod(getenv("MCLOAD_RATE"), NULL);
    if (interval < 0 || interval >= 1)
        interval = 0;
    port = free_port();
    server = start(argv + 3);
    for (unsigned i = 0; i < count; i++) {
        connections[i].number = i;
        connections[i].seed = i + 1;
        connections[i].requests = requests / count + (i < requests % count);
        connections[i].socket = connect_to(server);
        if (interval <= 0 && !sliced)
            continue;
        connections[i].took = calloc(connections[i].requests + 1, sizeof(float));
        if (!connections[i].took)
            fail("memory");
    }
    set_shared(&connections[0]);
    if (sliced)
        slices(connections, count, server);
    if (sliced)
        return stop(connections[0].socket, server);
    seconds = run(connections, count);
    for (unsigned i = 0; i < count; i++)
        checksum = checksum * 31 + connections[i].checksum;
    printf("mcload %016llx\nseconds %.6f\n", (unsigned long long)checksum, seconds);
    print_times("microseconds", connections, count);
    return stop(connections[0].socket, server);
}
