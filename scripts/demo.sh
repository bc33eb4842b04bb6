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

# wanted STATUS MEANING
wanted() {
    [ "$status" = "$1" ] || { echo "demo: expected status $1, got $status" >&2; exit 1; }
    echo "(exit status $status: $2)"
}

show "$snag" cc -O1 -pthread -o "$work/bank" examples/bank.c
show "$work/bank"
echo "(exit status $status: the bug is there, but hides)"
show "$snag" hunt --schedules 25 --store "$work/store" "$work/bank"
wanted 66 "something was found"

show "$snag" replay --times 3 --store "$work/store" 1
wanted 0 "it happened again every time"

show "$snag" cc -O1 -pthread -o "$work/bank_fixed" examples/bank_fixed.c
show "$snag" hunt --schedules 25 --store "$work/store" "$work/bank_fixed"
wanted 0 "nothing was found"

show "$snag" list --store "$work/store"
