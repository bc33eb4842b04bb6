# lib.sh: what the command line tests share. Sourced with the build folder as $1 of the script.
# Leaves in $out and $err the files with what the last command wrote, in $status its status.
SNAG=$1/snag
out=$PWD/.out err=$PWD/.err status=0

fail() {
    echo "$0: $*"
    echo "--- stdout:" && cat "$out"
    echo "--- stderr:" && cat "$err"
    exit 1
}

# skip WHY: this machine cannot run the test.
skip() {
    echo "skipped: $*"
    exit 77
}

# try COMMAND…
try() {
    status=0
    "$@" >"$out" 2>"$err" || status=$?
}

# expect STATUS COMMAND…
expect() {
    wanted=$1
    shift
    try "$@"
    [ "$status" = "$wanted" ] || fail "status $status, not $wanted: $*"
}

# says WORDS: the last command's stderr has these words (a basic regular expression).
says() {
    grep -q -- "$1" "$err" || fail "stderr does not say '$1'"
}

prints() {
    grep -q -- "$1" "$out" || fail "stdout does not have '$1'"
}

# `make asan`: AddressSanitizer remarks on the command's stack of its own.
silent() {
    ! grep -qv "WARNING: ASan doesn't fully support makecontext" "$err" || fail "stderr is not empty"
}

# The command in front of which a program runs without root's rights; skips when that cannot be.
unprivileged() {
    [ "$(id -u)" = 0 ] || return 0
    command -v setpriv >/dev/null || skip "no setpriv, to give root's rights away"
    chmod 755 .
    as="setpriv --reuid 65534 --regid 65534 --clear-groups"
    $as "$SNAG" --version >/dev/null 2>&1 || skip "the build folder is closed to other users"
}

# The newest clang that is here by a name with its version.
newest_clang() {
    for version in $(seq 40 -1 15); do
        if command -v clang-$version >/dev/null; then
            echo clang-$version
            return
        fi
    done
}

# The compilers that are here, as a list of C compilers; the newest clang comes last.
compilers() {
    for cc in gcc clang clang-14 $(newest_clang); do
        if command -v $cc >/dev/null; then echo $cc; fi
    done
}

# One gcc and one clang, for tests that take long with each.
two_compilers() {
    if command -v gcc >/dev/null; then echo gcc; fi
    compilers | grep clang | tail -n 1
}

cxx_of() {
    case $1 in
    gcc) echo g++ ;;
    clang-*) echo "clang++-${1#clang-}" ;;
    clang) echo clang++ ;;
    esac
}

# A program with one race on `counter`, and with -DFIXED none.
write_race() {
    cat >"${1:-race.c}" <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
int counter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void add(void)
{
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    counter++;
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
}
static void *work(void *arg)
{
    add();
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t t;
    (void)lock;
    if (pthread_create(&t, 0, work, 0))
        return 99;
    add();
    pthread_join(t, 0);
    printf("done\n");
    fflush(stdout);
    if (argc > 1 && argv[1][0] == 'a')
        abort();
    return argc > 1 ? atoi(argv[1]) : 0;
}
END
}

build_race() {
    write_race
    "$SNAG" cc -O1 -pthread -o race race.c
    "$SNAG" cc -O1 -pthread -DFIXED -o fixed race.c
}
