#!/bin/sh
# kernels.sh BUILD PART OF: every kernel of this part fails when its bug is provoked, is learned, and then
# fails no more under the guard, which reports it. The fixed twin has no failure, guarded or not.
. "$(dirname "$0")/lib.sh"
part=$2 of=$3 i=0

# Learned, and then no failure any more; a stall has prevented one.
is_guarded() { # NAME
    rm -rf .snag
    "$snag" learn --quiet --runs 14 ./"$1" >/dev/null 2>&1
    for round in 1 2 3 4 5 6 7 8 9 10; do
        "$snag" guard $patient --quiet --runs 4 --json "$1.json" ./"$1" bad >"$1.out" 2>&1
        [ "$(number exit "$1.json")" = 0 ] || return 1
        [ "$(number stalls_resolved "$1.json")" = 0 ] || return 0
    done
    return 1
}

check() { # NAME
    build_kernel "$1"
    shows ./"$1" bad || fail "$1: the bug does not show"
    is_guarded "$1" || fail "$1: fails under the guard: $(cat "$1.out" "$1.json")"
    ./"$1".fixed bad >/dev/null || fail "$1: its fixed twin fails"
    "$snag" learn --quiet --runs 10 ./"$1".fixed >/dev/null 2>&1
    "$snag" guard --quiet --runs 2 --json "$1.json" ./"$1".fixed bad >"$1.out" 2>&1
    [ "$(number exit "$1.json")" = 0 ] || fail "$1: its fixed twin fails under the guard"
}

for source in "$here"/kernels/*.c; do
    i=$((i + 1))
    [ $((i % of + 1)) = "$part" ] && check "$(basename "$source" .c)"
done
[ $failed = 0 ]
