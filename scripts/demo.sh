#!/bin/sh
# demo.sh BUILD: what snag does, on examples/bank.c and its fixed twin.
set -eu
build=$1
snag=$build/snag
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

bold='' plain=''
if [ -t 1 ]; then bold=$(printf '\033[1m') plain=$(printf '\033[0m'); fi
show() {
    printf '\n%s$ %s%s\n' "$bold" "$*" "$plain"
    status=0
    "$@" || status=$?
}

show "$snag" cc -O1 -pthread -o "$work/bank" examples/bank.c
show "$snag" race --store "$work/store" "$work/bank"
[ "$status" = 66 ] || { echo "demo: expected status 66, got $status" >&2; exit 1; }
echo "(exit status $status: something was found)"

show "$snag" cc -O1 -pthread -o "$work/bank_fixed" examples/bank_fixed.c
show "$snag" race --store "$work/store" "$work/bank_fixed"
[ "$status" = 0 ] || { echo "demo: expected status 0, got $status" >&2; exit 1; }
echo "(exit status $status: nothing was found)"

show "$snag" list --store "$work/store"
