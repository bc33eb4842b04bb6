# lib.sh: what the guard's tests share. Sourced with the build folder as $1 of the script.
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
snag=$build/snag
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset SNAG_OPTIONS SNAG_CC SNAG_CXX SNAG_RUN_DIR SNAG_RT
cd "$work" || exit 1
failed=0
# A stall may last long: the tests are about orders, and machines may be slow.
export KERNEL_GAPS=15
patient="--stall-ms 2000 --budget-ms 1000"

fail() {
    failed=$((failed + 1))
    echo "FAILED: $*"
}

# number NAME FILE: a number in a JSON report
number() {
    sed -n "s/.*\"$1\": *\\([0-9]*\\).*/\\1/p" "$2" | head -n 1
}

# shows COMMAND…: one of 20 runs fails. The sleeps of a provoked bug may all go wrong on a loaded machine.
shows() {
    for run in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        "$@" >/dev/null 2>&1 || return 0
    done
    return 1
}

# prevented PROGRAM: a guarded program whose bug is provoked never fails, and tells in one of 20 runs that
# a stall has prevented it.
prevented() {
    for run in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        rm -f violations
        SNAG_GUARD_LOG=$work/violations "$1" bad || return 1
        grep -q resolved violations 2>/dev/null && return 0
    done
    return 1
}

build_kernel() { # NAME
    "$snag" cc -O1 -g -pthread -o "$1" "$here/kernels/$1.c" || exit 1
    "$snag" cc -O1 -g -pthread -DFIXED -o "$1.fixed" "$here/kernels/$1.c" || exit 1
}
