// exec in all its forms, system, popen and posix_spawn from a threaded program: arguments,
// environment and status arrive.
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "check.h"

extern char **environ;

static void *idle(void *arg)
{
    pthread_barrier_wait(arg);
    return arg;
}

static int status_of(pid_t pid)
{
    int status;
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* Calls this program again with `how`; it ends with 10 + the number of its arguments. */
static int exec_by(int how, const char *self)
{
    char *argv[] = {(char *)self, "child", "a", "b", NULL};
    char *env[64] = {"CHECKED=yes"};
    int n = 1;
    for (char **e = environ; *e && n < 60; e++)
        if (strncmp(*e, "CHECKED=", 8) != 0)
            env[n++] = *e;
    pid_t pid = fork();
    if (pid)
        return status_of(pid);
    setenv("CHECKED", "yes", 1);
    switch (how) {
    case 0:
        execl(self, self, "child", "a", "b", (char *)NULL);
        break;
    case 1:
        execle(self, self, "child", "a", "b", (char *)NULL, env);
        break;
    case 2:
        execlp(self, self, "child", "a", "b", (char *)NULL);
        break;
    case 3:
        execv(self, argv);
        break;
    case 4:
        execve(self, argv, env);
        break;
    case 5:
        execvp(self, argv);
        break;
    default:
        execvpe(self, argv, env);
        break;
    }
    _exit(99);
}

static int child(int argc)
{
    const char *checked = getenv("CHECKED");
    return checked && strcmp(checked, "yes") == 0 ? 10 + argc : 1;
}

int main(int argc, char **argv)
{
    char self[4096], line[100], *spawned[] = {"sh", "-c", "exit 23", NULL};
    pthread_barrier_t both;
    pid_t pid;
    if (argc > 1)
        return child(argc);
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    CHECK(n > 0);
    self[n] = 0;
    pthread_barrier_init(&both, NULL, 2);
    pthread_t t = start(idle, &both);
    for (int how = 0; how < 7; how++)
        CHECK(exec_by(how, self) == 14);
    CHECK(posix_spawn(&pid, "/bin/sh", NULL, NULL, spawned, environ) == 0);
    CHECK(status_of(pid) == 23);
    CHECK(WEXITSTATUS(system("exit 24")) == 24);
    FILE *f = popen("echo hello", "r");
    CHECK(f && fgets(line, sizeof line, f) && strcmp(line, "hello\n") == 0 && pclose(f) == 0);
    if ((pid = vfork()) == 0) {
        execl("/bin/sh", "sh", "-c", "exit 25", (char *)NULL);
        _exit(99);
    }
    CHECK(status_of(pid) == 25);
    pthread_barrier_wait(&both);
    join(t);
    (void)argv;
    puts("ok");
}
