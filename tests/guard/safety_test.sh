#!/bin/sh
# safety_test.sh BUILD: a guard that knows nothing, and one that was badly trained, change no result and
# never hang: fixed twins, programs that hold locks, wait for conditions, join, fork and end in many ways.
# bench/guard/run safety does the same with all kernels and all programs of tests/race.
. "$(dirname "$0")/lib.sh"
unset KERNEL_GAPS

same() { # NAME [ARGS…]: under both guards, and guarded by itself, as without
    name=$1
    shift
    timeout 60 ./$name "$@" >usual 2>/dev/null
    usual=$?
    for store in nothing bad; do
        timeout 120 "$snag" guard --store $store --quiet --json report.json ./$name "$@" >now 2>/dev/null
        status=$?
        [ $status = 124 ] && fail "$name: hangs under the guard ($store)"
        [ "$(number exit report.json)" = $usual ] || fail "$name: ends otherwise ($store)"
        cmp -s usual now || fail "$name: says something else ($store)"
    done
    "$snag" guard build --store bad ./$name -o $name.guarded 2>/dev/null || fail "$name: no build"
    timeout 60 ./$name.guarded "$@" >now 2>/dev/null
    [ $? = $usual ] || fail "$name.guarded ends otherwise"
    cmp -s usual now || fail "$name.guarded says something else"
}

for kernel in rw_rw_mysql56324 w_r_transmission1660 rrw_rrw_apache25520 ww_r_mozilla52111; do
    build_kernel $kernel
    "$snag" learn --store bad --quiet --runs 1 ./$kernel.fixed 1 >/dev/null 2>&1
    same $kernel.fixed bad
done

# threads that take turns under a lock: learned with one order, run with another
cat >turns.c <<'EOF'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int turn, sum, n;
static void *work(void *p)
{
    int me = (int)(size_t)p;
    for (int i = 0; i < n; i++) {
        pthread_mutex_lock(&m);
        while (turn != me)
            pthread_cond_wait(&c, &m);
        sum = sum * 3 + me;
        sum %= 1000003;
        turn = (turn + 1) % 3;
        pthread_cond_broadcast(&c);
        pthread_mutex_unlock(&m);
    }
    return 0;
}
int main(int argc, char **argv)
{
    pthread_t t[3];
    n = argc > 1 ? atoi(argv[1]) : 1;
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, work, (void *)(size_t)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    printf("%d\n", sum);
    return sum % 50;
}
EOF
"$snag" cc -O1 -g -o turns turns.c -pthread || exit 1
"$snag" learn --store bad --quiet --oracle true --runs 1 ./turns 1 >/dev/null 2>&1
same turns 200

# a stall inside of a lock that everybody wants, memory that is used again, a child process
cat >mixed.c <<'EOF'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long total;
static int rounds;
struct node {
    struct node *next;
    long value;
};
static struct node *head;
static void *work(void *p)
{
    for (int i = 0; i < rounds; i++) {
        struct node *n = malloc(sizeof *n);
        n->value = i + (long)p;
        pthread_mutex_lock(&m);
        n->next = head;
        head = n;
        struct node *take = head;
        head = take->next;
        total += take->value;
        pthread_mutex_unlock(&m);
        free(take);
    }
    return 0;
}
int main(int argc, char **argv)
{
    pthread_t t[4];
    int status = 0;
    rounds = argc > 1 ? atoi(argv[1]) : 1;
    for (long i = 0; i < 4; i++)
        pthread_create(&t[i], 0, work, (void *)i);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], 0);
    fflush(stdout);
    if (fork() == 0) {
        work((void *)5);
        _exit((int)(total % 100));
    }
    wait(&status);
    printf("%ld %d\n", total, WEXITSTATUS(status));
    return 3;
}
EOF
"$snag" cc -O1 -g -o mixed mixed.c -pthread || exit 1
"$snag" learn --store bad --quiet --oracle true --runs 1 ./mixed 1 >/dev/null 2>&1
same mixed 300

# asynchronous cancellation that comes while the engine is at work is put off, not lost
cat >cancel.c <<'EOF'
#include <pthread.h>
#include <unistd.h>
static volatile long spins;
static void *spin(void *p)
{
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, 0);
    for (;;)
        spins++;
    return p;
}
int main(void)
{
    for (int i = 0; i < 5; i++) {
        pthread_t t;
        pthread_create(&t, 0, spin, 0);
        usleep(2000);
        pthread_cancel(t);
        pthread_join(t, 0);
    }
    return 0;
}
EOF
"$snag" cc -O1 -g -o cancel cancel.c -pthread || exit 1
timeout 120 "$snag" learn --store bad --quiet --runs 2 ./cancel >/dev/null 2>&1
[ $? = 124 ] && fail "a cancellation is lost while learning"
same cancel
[ $failed = 0 ]
