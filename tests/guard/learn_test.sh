#!/bin/sh
# learn_test.sh BUILD: what is learned, shown, kept over rebuilds and stores; relaxing; exposing.
. "$(dirname "$0")/lib.sh"

# the sets of figure 2(b): a read that comes after the write, always
build_kernel w_r_fft
KERNEL_GAPS=100 "$snag" learn --runs 3 ./w_r_fft >/dev/null 2>log || fail "learn: $(cat log)"
grep -q "learned from 3 correct runs" log || fail "the runs are not counted: $(cat log)"
"$snag" learn --show ./w_r_fft >shown 2>/dev/null
grep -A1 "two() w_r_fft.c:[0-9]* (read8)" shown | grep -q "after one()" || fail "no set: $(cat shown)"
grep -A1 "two() w_r_fft.c:[0-9]* (read8)" shown | grep -q "after nil" && fail "nil is in the set"

# a run that is not correct teaches nothing
build_kernel rw_rw_mysql56324
"$snag" learn --quiet --runs 2 ./rw_rw_mysql56324 bad >/dev/null 2>&1
"$snag" learn --show ./rw_rw_mysql56324 >shown 2>&1 && fail "a failing run was learned: $(cat shown)"

# an order that may be the wrong way round must be seen in a second run: the read is recorded, and then held up
# by its closed page until the other thread has written
cat >early.c <<'EOF'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>

static int *page;
static volatile int held, written;

__attribute__((no_sanitize("thread"))) static void hold(int n)
{
    (void)n;
    held = 1;
    while (!written)
        ;
}

__attribute__((no_sanitize("thread"))) static void until(volatile int *flag)
{
    while (!*flag)
        ;
}

static void *writer(void *p)
{
    until(&held);
    mprotect(page, 4096, PROT_READ | PROT_WRITE);
    *page = 7;
    written = 1;
    return p;
}

static int reader(void)
{
    return *page;
}

int main(void)
{
    pthread_t t;
    signal(SIGSEGV, hold);
    page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_create(&t, NULL, writer, NULL);
    int seen = reader();
    pthread_join(t, NULL);
    return seen != 7;
}
EOF
"$snag" cc -O1 -g -o early early.c -pthread || exit 1
"$snag" learn --quiet --runs 1 ./early >/dev/null 2>&1
"$snag" learn --show ./early >shown 2>&1
grep -q "after reader() early.c:[0-9]* (read8)" shown || fail "nothing was learned: $(cat shown)"
grep -q "after reader() early.c:[0-9]* (read4)" shown && fail "the write came first: $(cat shown)"
"$snag" learn --quiet --runs 1 ./early >/dev/null 2>&1
"$snag" learn --show ./early 2>/dev/null | grep -q "after reader() early.c:[0-9]* (read4)" ||
    fail "seen twice, and not learned"

# the oracle looks at the output
printf '#include <stdio.h>\nint main(void) { puts("42"); return 3; }\n' >answer.c
"$snag" cc -g -o answer answer.c
"$snag" learn --oracle 'test "$(cat)" = 42 && test "$SNAG_STATUS" = 3' ./answer >out 2>log ||
    fail "status $? although it has learned"
grep -q "learned from 1 correct runs" log || fail "the oracle was not believed: $(cat log)"
[ "$(cat out)" = 42 ] || fail "the output was lost"
"$snag" learn --oracle 'test "$(cat)" = 43' ./answer >/dev/null 2>log
[ $? = 3 ] || fail "nothing learned, and not the program's status"
grep -q "1 were not correct" log || fail "the oracle was not asked: $(cat log)"

# an order violation is exposed, by stalls and by schedules; the twin's orders are enforced
exposed() { # OPTIONS…: in one of five calls, each with what was learned before: a run that stays correct relaxes
    for call in 1 2 3 4 5; do
        rm -rf tried && cp -r learned tried
        "$snag" expose --store tried --quiet "$@" ./w_r_fft >/dev/null 2>&1
        [ $? = 66 ] && return 0
    done
    return 1
}
"$snag" learn --store learned --quiet --runs 3 ./w_r_fft >/dev/null 2>&1
exposed || fail "the order was not exposed"
exposed --mode order || fail "the order was not exposed by schedules"
"$snag" learn --quiet --runs 3 ./w_r_fft.fixed >/dev/null 2>&1
"$snag" expose --store other ./w_r_fft.fixed >/dev/null 2>&1 # nothing learned there
"$snag" expose --quiet ./w_r_fft.fixed >/dev/null 2>log || fail "the twin was exposed: $(cat log)"

# untrained, the guard says so, and changes nothing
"$snag" guard --store empty ./w_r_fft >/dev/null 2>log || fail "untrained: $(cat log)"
grep -q "nothing was learned" log || fail "untrained, and silent: $(cat log)"

# what a finding says is no bug is taken in
shows "$snag" guard --quiet --stall-ms 0 ./w_r_fft bad || fail "no violation reported"
id=$("$snag" list 2>/dev/null | awk '$3 == "order-violation" { print $1; exit }')
"$snag" guard --relax "$id" ./w_r_fft 2>log || fail "relax $id: $(cat log)"
"$snag" learn --show ./w_r_fft 2>/dev/null | grep -A2 "two() w_r_fft.c:[0-9]* (read8)" |
    grep -q "after nil" || fail "finding $id was not taken in"

# a correct run relaxes by itself when there is an oracle
build_kernel w_r_lu
"$snag" learn --quiet --runs 3 ./w_r_lu >/dev/null 2>&1
"$snag" guard --quiet --stall-ms 0 --oracle true ./w_r_lu bad >/dev/null 2>log
[ $? = 66 ] && fail "an order of a correct run was reported"
"$snag" guard --quiet --stall-ms 0 ./w_r_lu bad >/dev/null 2>log
[ $? = 66 ] && fail "the order was not taken in"

# a rebuild: what did not change is found again, the rest is named
cat >first.c <<'EOF'
#include <pthread.h>
volatile int x, y;
void *reader(void *p) { (void)p; return (void *)(long)(x + y); }
int set(int v) { x = v; y = v; return v; }
int main(void)
{
    pthread_t t;
    set(1);
    pthread_create(&t, 0, reader, 0);
    pthread_join(t, 0);
    return 0;
}
EOF
cp first.c prog.c
"$snag" cc -g -o prog prog.c -pthread && "$snag" learn --quiet --runs 2 ./prog 2>/dev/null
{ echo "/* a line more */"; echo; cat first.c; } >prog.c
"$snag" cc -g -o prog prog.c -pthread
"$snag" guard ./prog 2>log || fail "rebuilt: $(cat log)"
grep -q "not in this build" log && fail "unchanged places are not found again: $(cat log)"
sed "s/x = v; y = v;/x = v;\n y = v;/" first.c >prog.c
"$snag" cc -g -o prog prog.c -pthread
"$snag" guard ./prog 2>log
grep -q "not in this build: prog!set@prog.c" log || fail "the changed place is not named: $(cat log)"
grep -q "not in this build: prog!reader" log && fail "an unchanged place is named: $(cat log)"

# the signs of a place's key in a program's own name; the changed twin is still told
"$snag" cc -g -o calc++ first.c -pthread && "$snag" learn --quiet --runs 2 ./calc++ 2>/dev/null
"$snag" guard ./calc++ 2>log || fail "calc++: $(cat log)"
grep -q "not in this build" log && fail "calc++: places are not found: $(cat log)"
"$snag" learn --show ./calc++ 2>/dev/null | grep -q "^reader() first.c" || fail "calc++: places have no words"
"$snag" cc -g -o calc++ prog.c -pthread
"$snag" guard ./calc++ 2>log
grep -q "not in this build: calc++!set" log || fail "calc++: the changed place is not named: $(cat log)"

# a violation is told with the locks of its own moment, not of the one when it is told
cat >locks.c <<'EOF'
#include "kernel.h"
static pthread_mutex_t before = PTHREAD_MUTEX_INITIALIZER, after = PTHREAD_MUTEX_INITIALIZER;
static volatile int value, seen;
static void one(void)
{
    usually_later();
    pthread_mutex_lock(&before);
    int v = value;
    pthread_mutex_unlock(&before);
    pthread_mutex_lock(&after);
    seen = v;
    pthread_mutex_unlock(&after);
}
static void two(void) { usually_first(); value = 7; }
static int is_correct(void) { return seen == 7; }
EOF
"$snag" cc -O1 -g -I"$here/kernels" -o locks locks.c -pthread || exit 1
"$snag" learn --quiet --runs 10 ./locks >/dev/null 2>&1
for round in 1 2 3 4 5 6 7 8 9 10; do
    "$snag" guard $patient ./locks bad >/dev/null 2>log
    grep -q "stalled until" log && break
done
grep -q "read of 4 bytes by thread 1, holding before$" log || fail "not the lock of the access: $(cat log)"

# stores unite as sets
mkdir a b
"$snag" learn --store a --quiet --runs 2 ./prog 2>/dev/null
build_kernel w_r_fft
"$snag" learn --store b --quiet --runs 2 ./w_r_fft >/dev/null 2>&1
"$snag" merge --store a b >/dev/null 2>&1 || fail "the stores do not unite"
"$snag" learn --store a --show ./w_r_fft 2>/dev/null | grep -q "after one()" || fail "lost by merging"

# an option that would be without effect is refused, whichever way round
for option in "-o out" --strip --all --anew --as-is "--hot hot"; do
    # shellcheck disable=SC2086
    "$snag" guard --store b $option ./w_r_fft >/dev/null 2>log
    [ $? = 125 ] || fail "snag guard takes $option"
    grep -q -- "${option%% *} is for snag guard build" log || fail "$option: $(cat log)"
done
for option in "--relax 1" "--relax-log none" "--oracle true"; do
    # shellcheck disable=SC2086
    "$snag" guard build --store b $option ./w_r_fft -o out >/dev/null 2>log
    [ $? = 125 ] || fail "snag guard build takes $option"
    grep -q -- "${option%% *} is for snag guard without" log || fail "$option: $(cat log)"
done
"$snag" guard build --store b --annotated ./w_r_fft -o out >/dev/null 2>log || fail "annotated: $(cat log)"
grep -q "nothing is guarded" log || fail "it is not said that nothing is annotated: $(cat log)"
[ $failed = 0 ]
