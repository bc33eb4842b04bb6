// Descriptors and streams: results, contents, and work handed from thread to thread through them.
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
#include "check.h"

static int handed; /* never locked: ordered by the channel alone */

struct channel {
    int in, out;
};

static void *take(void *arg)
{
    struct channel *c = arg;
    char byte[8];
    for (int i = 1; i <= 100; i++) {
        ssize_t n = read(c->in, byte, sizeof byte);
        CHECK(n == 1 || n == 8);
        CHECK(handed == 2 * i - 1);
        handed++;
        CHECK(write(c->in, byte, (size_t)n) == n || errno == EBADF);
    }
    return NULL;
}

/* Both directions of a socket. */
static void ping_pong(int a, int b)
{
    struct channel c = {b, b};
    char byte[8] = "x";
    handed = 0;
    pthread_t t = start(take, &c);
    for (int i = 1; i <= 100; i++) {
        handed++;
        CHECK(write(a, byte, 1) == 1);
        CHECK(read(a, byte, 1) == 1);
        CHECK(handed == 2 * i);
    }
    join(t);
    CHECK(close(a) == 0 && close(b) == 0);
}

static void connection(int *client, int *server)
{
    struct sockaddr_in addr = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof addr;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(bind(listener, (struct sockaddr *)&addr, sizeof addr) == 0 && listen(listener, 1) == 0);
    CHECK(getsockname(listener, (struct sockaddr *)&addr, &n) == 0);
    *client = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(connect(*client, (struct sockaddr *)&addr, sizeof addr) == 0);
    *server = accept(listener, NULL, NULL);
    CHECK(*server >= 0 && close(listener) == 0);
}

static void *post_eventfd(void *arg)
{
    handed = 5;
    CHECK(eventfd_write(*(int *)arg, 3) == 0);
    return NULL;
}

static void events(void)
{
    int e = eventfd(0, 0), copy = dup(e), ep = epoll_create1(0);
    struct epoll_event want = {.events = EPOLLIN, .data.fd = e}, got;
    eventfd_t value;
    handed = 0;
    CHECK(e >= 0 && ep >= 0 && epoll_ctl(ep, EPOLL_CTL_ADD, e, &want) == 0);
    pthread_t t = start(post_eventfd, &copy);
    CHECK(epoll_wait(ep, &got, 1, -1) == 1 && got.data.fd == e);
    CHECK(eventfd_read(e, &value) == 0 && value == 3 && handed == 5);
    join(t);
    CHECK(epoll_wait(ep, &got, 1, 0) == 0);
    close(e), close(copy), close(ep);
}

static void vectors(void)
{
    int fds[2];
    char a[3] = "", b[4] = "";
    struct iovec out[2] = {{"abc", 3}, {"defg", 4}}, in[2] = {{a, 3}, {b, 4}};
    struct pollfd p;
    fd_set set;
    CHECK(pipe2(fds, O_CLOEXEC) == 0);
    p = (struct pollfd){.fd = fds[0], .events = POLLIN};
    CHECK(poll(&p, 1, 0) == 0);
    CHECK(writev(fds[1], out, 2) == 7);
    CHECK(poll(&p, 1, 1000) == 1 && p.revents == POLLIN);
    FD_ZERO(&set);
    FD_SET(fds[0], &set);
    CHECK(select(fds[0] + 1, &set, NULL, NULL, NULL) == 1 && FD_ISSET(fds[0], &set));
    CHECK(readv(fds[0], in, 2) == 7 && memcmp(a, "abc", 3) == 0 && memcmp(b, "defg", 4) == 0);
    int high = fcntl(fds[1], F_DUPFD, 100);
    CHECK(high >= 100 && write(high, "z", 1) == 1 && read(fds[0], a, 1) == 1 && a[0] == 'z');
    close(fds[0]), close(fds[1]), close(high);
}

static void files(void)
{
    FILE *f = tmpfile();
    char *line = NULL, text[20];
    size_t room = 0;
    CHECK(f && fputs("first\nsecond\n", f) >= 0 && fwrite("third", 1, 5, f) == 5);
    rewind(f);
    CHECK(getline(&line, &room, f) == 6 && strcmp(line, "first\n") == 0);
    CHECK(fgets(text, sizeof text, f) && strcmp(text, "second\n") == 0);
    CHECK(fread(text, 1, sizeof text, f) == 5 && memcmp(text, "third", 5) == 0);
    CHECK(getline(&line, &room, f) == -1);
    char at[4] = "";
    CHECK(pread(fileno(f), at, 3, 6) == 3 && strcmp(at, "sec") == 0);
    free(line);
    CHECK(fclose(f) == 0);
    CHECK(snprintf(text, 5, "%s", "too long") == 8 && strcmp(text, "too ") == 0);
    CHECK(sprintf(text, "%d-%s", 42, "x") == 4 && strcmp(text, "42-x") == 0);
}

static void *stream_in(void *arg)
{
    char line[20];
    CHECK(fgets(line, sizeof line, arg) && strcmp(line, "go\n") == 0 && handed == 9);
    return NULL;
}

static void streams(void)
{
    int fds[2];
    CHECK(pipe(fds) == 0);
    FILE *in = fdopen(fds[0], "r"), *out = fdopen(fds[1], "w");
    pthread_t t = start(stream_in, in);
    handed = 9;
    CHECK(fputs("go\n", out) >= 0 && fflush(out) == 0);
    join(t);
    CHECK(fclose(in) == 0 && fclose(out) == 0);
}

int main(void)
{
    int fds[2];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0);
    ping_pong(fds[0], fds[1]);
    connection(&fds[0], &fds[1]);
    ping_pong(fds[0], fds[1]);
    events();
    vectors();
    files();
    streams();
    puts("ok");
}
