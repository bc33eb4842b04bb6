#!/bin/sh
# Runs the programs of this folder under `snag race`: each must end with status 0, print "ok" as its
# last line and nothing on stderr, as it does without snag. The same program built without
# instrumentation, preloaded with the library, must do the same.
#
#   run.sh BUILD_DIR [NAME…]
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd) || exit 2
shift
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
export SNAG_TEST_BUILD="$build"
failed=0 passed=0

# complain WHAT: the last command's output is in $work/out and $work/err
complain() {
    echo "FAIL $name: $1"
    sed 's/^/     /' "$work/out" "$work/err" | head -40
    failed=$((failed + 1))
}

verify() { # HOW STATUS
    if [ "$2" -ne 0 ]; then
        complain "$1: status $2"
    elif [ "$(tail -n 1 "$work/out")" != ok ]; then
        complain "$1: does not end with ok"
    elif [ -s "$work/err" ]; then
        complain "$1: something on stderr"
    else
        passed=$((passed + 1))
    fi
}

# The program is not instrumented, the library that it loads is.
with_library() {
    # shellcheck disable=SC2086
    { $cc $flags -DLIBRARY -shared -fPIC -I "$here" "$source" -o "$work/library.so" &&
        $cc $flags -I "$here" "$source" -o "$work/plain"; } 2>"$work/err" || complain "does not build"
    (cd "$work" && timeout 100 ./plain) >"$work/out" 2>"$work/err"
    verify "without snag" $?
    # shellcheck disable=SC2086
    "$build/snag" $cc $flags -DLIBRARY -shared -fPIC -I "$here" "$source" -o "$work/library.so" \
        2>"$work/err" || complain "does not build"
    (cd "$work" && timeout 100 "$build/snag" race --no-store --quiet ./plain) \
        >"$work/out" 2>"$work/err"
    verify "snag race" $?
}

# The program is instrumented, the library that it loads is not.
with_plain_library() {
    # shellcheck disable=SC2086
    { $cc $flags -DLIBRARY -shared -fPIC -I "$here" "$source" -o "$work/library.so" &&
        $cc $flags -I "$here" "$source" -o "$work/plain" &&
        "$build/snag" $cc $flags -I "$here" "$source" -o "$work/instrumented"; } 2>"$work/err" ||
        complain "does not build"
    (cd "$work" && timeout 100 ./plain) >"$work/out" 2>"$work/err"
    verify "without snag" $?
    (cd "$work" && timeout 100 "$build/snag" race --no-store --quiet ./instrumented) \
        >"$work/out" 2>"$work/err"
    verify "snag race" $?
}

one() {
    source=$1
    name=$(basename "$source")
    case $source in *.cc) cc=c++ std=-std=c++17 ;; *) cc=cc std=-std=gnu17 ;; esac
    flags="$std -g -O1 -Wall -Wextra -D_GNU_SOURCE -pthread $(sed -n 's,^// FLAGS: ,,p' "$source")"
    if grep -q '^// LIBRARY' "$source"; then
        with_library
        return
    fi
    if grep -q '^// PLAIN-LIBRARY' "$source"; then
        with_plain_library
        return
    fi
    # shellcheck disable=SC2086
    if ! "$build/snag" $cc $flags -I "$here" "$source" -o "$work/instrumented" 2>"$work/err"; then
        : >"$work/out"
        complain "does not build"
        return
    fi
    # shellcheck disable=SC2086
    $cc $flags -I "$here" "$source" -o "$work/plain" 2>"$work/err" || complain "does not build"
    (cd "$work" && timeout 100 ./plain) >"$work/out" 2>"$work/err"
    verify "without snag" $?
    (cd "$work" && timeout 100 "$build/snag" race --no-store --quiet ./instrumented) \
        >"$work/out" 2>"$work/err"
    verify "snag race" $?
    (cd "$work" && LD_PRELOAD="$build/lib/libsnag-race.so" timeout 100 ./plain) \
        >"$work/out" 2>"$work/err"
    verify "not instrumented, preloaded" $?
}

if [ $# -eq 0 ]; then
    "$here/undefined.sh" "$build" || failed=$((failed + 1))
    set -- "$here"/*.c "$here"/*.cc
else
    for name in "$@"; do
        shift
        set -- "$@" "$here/$name"
    done
fi
for source in "$@"; do
    [ -e "$source" ] && one "$source"
done
echo "runtime: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
