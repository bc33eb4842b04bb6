#!/bin/sh
# usage: run.sh BUILD. The command line of the hybrid detector, then filters.py: no filter loses anything.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
command -v python3 >/dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
snag=$build/snag

fail() {
    echo "$0: $*"
    exit 1
}

"$snag" cc -g -O1 -pthread -D_GNU_SOURCE -I "$here/../race" \
    -o prog "$here/../race/hybrid/same_line_again.c"
# The happens-before detector sees the race of this run; TREE before it would lose it, so it is refused.
status=0
"$snag" race --quiet --no-store ./prog 2>err || status=$?
[ $status = 66 ] || fail "fasttrack: status $status"
status=0
"$snag" race --no-store --filter tree ./prog 2>err || status=$?
[ $status = 125 ] || fail "fasttrack with TREE: status $status"
grep -q 'hybrid' err || fail "fasttrack with TREE: no word of what to do"
for filter in none span; do
    status=0
    "$snag" race --quiet --no-store --filter $filter ./prog 2>err || status=$?
    [ $status = 66 ] || fail "fasttrack, $filter: status $status"
done
# Candidates go to the store, are not in the report, and do not make the status 66.
"$snag" race --detector hybrid --stats ./prog 2>err || fail "hybrid: status $?"
grep -q 'data race' err && fail "a candidate is in the report"
grep -q 'skipped' err || fail "--stats does not say what was skipped"
"$snag" list --candidates >out
grep -q 'candidate.*data race on' out || fail "no candidate in the store"

exec python3 "$here/filters.py" "$build"
