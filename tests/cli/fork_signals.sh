# A program that forks while signals come at any moment: it does not hang, whatever engine is in it.
. "$(dirname "$0")/lib.sh"

cat >storm.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t ticks;

static void on_tick(int sig)
{
    (void)sig;
    ticks++;
}

int main(void)
{
    struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    struct sigaction act = {.sa_handler = on_tick, .sa_flags = SA_RESTART};
    sigset_t mask;
    int bad = 0;
    sigaction(SIGALRM, &act, 0);
    sigaction(SIGCHLD, &act, 0);
    setitimer(ITIMER_REAL, &often, 0);
    for (int i = 0; i < 200; i++) {
        pid_t child = fork();
        int status = -1;
        if (child == 0) {
            sigprocmask(SIG_BLOCK, 0, &mask);
            _exit(sigismember(&mask, SIGALRM) || sigismember(&mask, SIGCHLD));
        }
        while (waitpid(child, &status, 0) < 0)
            ;
        bad += status != 0;
    }
    setitimer(ITIMER_REAL, &never, 0);
    sigprocmask(SIG_BLOCK, 0, &mask);
    bad += sigismember(&mask, SIGALRM);
    printf("%s\n", bad ? "wrong" : "done");
    return 0;
}
END
cc -o plain storm.c
"$SNAG" cc -o built storm.c
expect 0 "$SNAG" run --timeout 120 ./plain
prints done
expect 0 "$SNAG" race --timeout 120 ./built
prints done
