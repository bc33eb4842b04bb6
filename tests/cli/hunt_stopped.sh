# A hunt or a prediction that is asked to end does so at once, keeps what it has found, and leaves no process behind.
. "$(dirname "$0")/lib.sh"
cat >tally.c <<'END'
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>
static int counter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg)
{
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    counter++;
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    return arg;
}
int main(void)
{
    pthread_t t;
    poll(0, 0, WAIT_MS); /* in real time */
    int fd = open(TALLY, O_WRONLY | O_CREAT | O_APPEND, 0644);
    (void)lock;
    if (fd < 0 || write(fd, "1", 1) != 1 || pthread_create(&t, 0, work, 0))
        return 99;
    work(0);
    pthread_join(t, 0);
    return 0;
}
END
"$SNAG" cc -O1 -pthread "-DTALLY=\"$PWD/slow.tally\"" -DWAIT_MS=200 -o slow tally.c
"$SNAG" cc -O1 -pthread "-DTALLY=\"$PWD/race.tally\"" -DWAIT_MS=0 -o race tally.c
"$SNAG" cc -O1 -pthread "-DTALLY=\"$PWD/fixed.tally\"" -DWAIT_MS=0 -DFIXED -o fixed tally.c

# stop NUMBER PROGRAM EXECUTIONS COMMAND…: the command, asked to end after so many executions.
stop() {
    signal=$1 program=$2 most=$3
    shift 3
    : >"$program.tally"
    "$SNAG" "$@" --store "$program.store" "./$program" >"$out" 2>"$err" &
    hunt=$!
    while [ "$(wc -c <"$program.tally")" -lt "$most" ]; do
        kill -0 $hunt 2>/dev/null || break
        sleep 0.05
    done
    kill "-$signal" $hunt
    status=0
    wait $hunt || status=$?
    before=$(wc -c <"$program.tally")
    sleep 0.2
    [ "$(wc -c <"$program.tally")" = "$before" ] || fail "the program still runs"
}

for signal in 15 1; do
    rm -rf race.store fixed.store
    stop $signal race 100 hunt --schedules 1000000 --limit 86400
    says 'stopped after [0-9]* schedules'
    [ $status = 66 ] || fail "status $status after signal $signal"
    expect 0 "$SNAG" replay --store race.store 1
    stop $signal fixed 100 hunt --schedules 1000000 --limit 86400
    says 'stopped after [0-9]* schedules'
    [ $status = $((128 + signal)) ] || fail "status $status after signal $signal"
done

# Predictions are tried fifty times and more, unless somebody asks: then they stay predictions.
stop 15 slow 5 predict --seed 1
[ $status = 66 ] || fail "status $status of a prediction that was stopped"
[ "$before" -lt 40 ] || fail "a prediction that was stopped went on for $before executions"

# Who was started to outlive the terminal does so: it goes on until another signal comes.
: >fixed.tally
(trap "" HUP && exec "$SNAG" hunt --no-store --schedules 1000000 --limit 86400 ./fixed) >"$out" 2>"$err" &
hunt=$!
for executions in 1 100; do
    while [ "$(wc -c <fixed.tally)" -lt "$executions" ]; do
        kill -0 $hunt || fail "it ended after $(wc -c <fixed.tally) executions"
        sleep 0.05
    done
    [ "$executions" = 100 ] || kill -HUP $hunt
done
kill -TERM $hunt
status=0
wait $hunt || status=$?
[ $status = 143 ] || fail "status $status: SIGHUP was not ignored"
