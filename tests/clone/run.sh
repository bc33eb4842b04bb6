#!/bin/sh
# run.sh BUILD: processes that a program makes by clone() or by a raw system call are children like
# those of fork(), for every command: same status, no finding; and a race in one is found.
set -u
here=$(cd "$(dirname "$0")" && pwd)
snag=$(cd "$1" && pwd)/snag
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset SNAG_OPTIONS SNAG_CC SNAG_CXX SNAG_RUN_DIR SNAG_RT
failed=0
cd "$work" || exit 1
"$snag" cc -g -O1 -pthread -o right "$here/clone.c" || exit 1
"$snag" cc -g -O1 -pthread -DRACY -o racy "$here/clone.c" || exit 1

same() { # COMMAND [OPTION…]: the program's own status, which is the child's, and nothing found
    timeout 120 "$snag" "$@" ./right "$how" >said 2>&1
    status=$?
    [ $status = 0 ] && ! grep -q '^snag: .*(\(observed\|confirmed\|predicted\))' said && return
    echo "FAILED: $* $how: status $status" && cat said
    failed=1
}

for how in clone SYS_clone SYS_clone3 SYS_fork; do
    rm -rf .snag
    ./right "$how" >said || { echo "FAILED: $how by itself" && failed=1 && continue; }
    same race --no-store
    same run --no-store
    same predict --no-store
    timeout 120 "$snag" learn --quiet --runs 2 ./right "$how" >said 2>&1 || { echo "FAILED: learn $how"; cat said; failed=1; }
    same guard --quiet --exitcode 0 # two runs teach little: an order that is new to it is no failure here
    same race --detector hybrid --no-store
    same fuzz --no-store --schedules 10
    same hunt --no-store --schedules 10
    timeout 120 "$snag" fuzz --no-store --schedules 10 ./racy "$how" >said 2>&1
    [ $? = 66 ] && grep -q 'data race on `count`' said || { echo "FAILED: racy $how" && cat said && failed=1; }
done
exit $failed
