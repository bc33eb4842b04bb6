# Signals: what snag gets goes on to the program, and from a terminal it comes once.
. "$(dirname "$0")/lib.sh"
cat >count.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static volatile sig_atomic_t interrupts, ends;
static void on_interrupt(int s)
{
    (void)s;
    interrupts++;
    if (write(1, "interrupted ", 12) < 0)
        _exit(1);
}
static void on_end(int s) { (void)s; ends = 1; }
int main(void)
{
    sigset_t blocked, none;
    sigemptyset(&none);
    sigfillset(&blocked);
    signal(SIGINT, on_interrupt);
    signal(SIGTERM, on_end);
    sigprocmask(SIG_BLOCK, &blocked, 0); /* signals come in sigsuspend() only */
    printf("ready\n");
    fflush(stdout);
    while (!ends)
        sigsuspend(&none);
    printf("interrupts %d\n", interrupts);
    return 5;
}
END
"$SNAG" cc -o count count.c
command -v python3 >/dev/null || skip "no python3"
cat >drive.py <<'END'
"""Runs snag on a terminal of its own: Ctrl-C twice, then SIGTERM to snag alone."""
import os, pty, signal, sys
snag, program = sys.argv[1:]
pid, terminal = pty.fork()
if pid == 0:
    os.execv(snag, [snag, "race", "--no-store", "--quiet", program])
seen = b""
def read_more():
    global seen
    try:
        more = os.read(terminal, 1000)
    except OSError:
        more = b""
    if not more:
        sys.exit("ended early: %r" % seen)
    seen += more
def until(word):
    while word not in seen:
        read_more()
until(b"ready")
for i in range(2):
    os.write(terminal, b"\x03")
    while seen.count(b"interrupted ") <= i:
        read_more()
os.kill(pid, signal.SIGTERM)
until(b"interrupts 2\r\n")
status = os.waitpid(pid, 0)[1]
print("status", os.waitstatus_to_exitcode(status))
END
expect 0 timeout 60 python3 drive.py "$SNAG" ./count
prints 'status 5'

# killed by the signal that came through
"$SNAG" race --no-store --quiet sh -c 'echo $$ >pid; exec sleep 1000' &
snag=$!
while [ ! -s pid ]; do :; done
kill -TERM $snag
status=0
wait $snag || status=$?
: >"$out" >"$err"
# sh is not instrumented: 125 after its end; that it ended is the point
if kill -0 "$(cat pid)" 2>/dev/null; then fail "the program is still there"; fi
[ "$status" = 125 ] || fail "status $status"
