// The checked forms that _FORTIFY_SOURCE makes of library calls do the same: contents, order
// between threads through them, and the abort when a buffer is too small.

// FLAGS: -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "check.h"

static int handed;
static volatile size_t eight = 8;
static jmp_buf back;

static void *other(void *arg)
{
    int fd = *(int *)arg;
    char byte[8];
    struct pollfd p = {.fd = fd, .events = POLLIN};
    CHECK(poll(&p, 1, -1) == 1);
    CHECK(recvfrom(fd, byte, eight, 0, NULL, NULL) == 8 && handed == 1);
    handed = 2;
    CHECK(send(fd, byte, eight, 0) == 8);
    return NULL;
}

static void channel(void)
{
    int fds[2];
    char text[16] = "12345678";
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0);
    pthread_t t = start(other, &fds[1]);
    handed = 1;
    CHECK(write(fds[0], text, eight) == 8);
    CHECK(recv(fds[0], text, eight, 0) == 8 && handed == 2);
    join(t);
}

static void strings(void)
{
    char a[32], b[32], *line = NULL;
    size_t room = 0;
    FILE *f = tmpfile();
    memset(a, 'x', eight);
    memcpy(b, a, eight);
    memmove(b + 1, b, eight);
    b[9] = 0;
    CHECK(strlen(b) == 9);
    strcpy(a, "one");
    strcat(a, " two");
    strncat(a, " three", eight);
    CHECK(strcmp(a, "one two three") == 0);
    CHECK(snprintf(b, eight, "%s", a) == 13 && strcmp(b, "one two") == 0);
    CHECK(sprintf(b, "%d", (int)eight) == 1 && strcmp(b, "8") == 0);
    CHECK(f && fputs("line\nnext\nlast", f) >= 0);
    rewind(f);
    CHECK(getline(&line, &room, f) == 5 && fgets(b, (int)eight, f) && strcmp(b, "next\n") == 0);
    CHECK(fread(b, 1, eight, f) == 4);
    free(line);
    fclose(f);
}

static void dive(int depth)
{
    if (depth == 0)
        longjmp(back, 1);
    if (eight)
        dive(depth - 1);
    eight++;
}

static void too_small(void)
{
    pid_t pid = fork();
    int status;
    if (pid == 0) {
        char small[4];
        close(2);
        memcpy(small, "much too long", eight);
        _exit(small[0]);
    }
    CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

int main(void)
{
    channel();
    strings();
    if (setjmp(back) == 0)
        dive(100);
    too_small();
    puts("ok");
}
