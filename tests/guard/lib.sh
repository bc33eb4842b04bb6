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

build_kernel() { # NAME
    "$snag" cc -O1 -g -pthread -o "$1" "$here/kernels/$1.c" || exit 1
    "$snag" cc -O1 -g -pthread -DFIXED -o "$1.fixed" "$here/kernels/$1.c" || exit 1
}
