#!/bin/sh
# The benchmarks, one after the other. usage: run.sh [--quick] [NAME…]
# NAME is a folder beside this file; all of them when none is named. BUILD is the folder that snag was built in
# (default build). What each folder's run takes beyond this is said by its --help, or at the head of its file.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=${BUILD:-$here/../build}
build=$(cd "$build" && pwd) || exit 1
export SNAG="${SNAG:-$build/snag}"
quick=
names=
for word in "$@"; do
    case $word in
    --quick) quick=1 ;;
    -h | --help)
        sed -n '2,4s/^# //p' "$0"
        exit
        ;;
    -*)
        echo "run.sh: no option $word; the options of each are those of its own run" >&2
        exit 2
        ;;
    *)
        [ -x "$here/$word/run" ] || { echo "run.sh: no benchmark '$word'" >&2 && exit 2; }
        names="$names $word"
        ;;
    esac
done
[ -n "$names" ] || names="race tree steps scale fuzz predict check guard tsvd campaign"

# NAME: runs it. What takes hours whole (guard, tsvd, campaign, predict) is cut to minutes here.
run_one() {
    q=${quick:+--quick}
    case $1 in
    race | tree) "$here/$1/run" "$build" $q ;;
    steps | scale) "$here/$1/run" $q ;;
    fuzz) "$here/$1/run" "$build" ${quick:+figures} ${quick:+cost} ;;
    predict | check) "$here/$1/run" "$build" --quick ;;
    guard) "$here/$1/run" --build "$build" --runs 10 --slice "1/${quick:+1}2" table2 expose ;;
    tsvd) "$here/$1/run" --build "$build" --short ${quick:+--only} ${quick:+c0*} ;;
    campaign) "$here/$1/run" "$build" --quick ${quick:+--parts} ${quick:+scaling} ;;
    *) "$here/$1/run" ;;
    esac
}

failed=
for name in $names; do
    echo "=== bench/$name, $(date +%T)" >&2
    start=$(date +%s)
    run_one "$name" || failed="$failed $name"
    echo "=== bench/$name took $(($(date +%s) - start)) s" >&2
done
[ -z "$failed" ] || { echo "run.sh: failed:$failed" >&2 && exit 1; }
