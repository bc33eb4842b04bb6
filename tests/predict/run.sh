#!/bin/bash
# run.sh BUILD: programs that are recorded and predicted. Each has a twin that must stay silent.
set -u
build=$(cd "$1" && pwd) here=$(cd "$(dirname "$0")" && pwd)
snag=$build/snag work=$(mktemp -d) failures=0
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset SNAG_OPTIONS

fail() { echo "FAILED: $*"; failures=$((failures + 1)); }

${CC:-${SNAG_CC:-cc}} -g -O1 -shared -fPIC -fvisibility=hidden -o libhidden.so "$here/hidden.c" || exit 1
${CC:-${SNAG_CC:-cc}} -g -O1 -shared -fPIC -o libalive.so "$here/alive.c" || exit 1

# build NAME [LIBRARY]: with snag cc
build() {
    "$snag" cc -g -O1 -pthread -o "$1" "$here/$1.c" ${2:+-L. "-l$2" "-Wl,-rpath,$work"} || exit 1
}

# lists ALGORITHM TRACE: what it predicts, a line each
lists() { "$snag" predict --no-store --list --time-limit 60 --algorithm "$1" --trace "$2"; }

for part in "$here"/*.sh; do
    [ "$part" = "$here/run.sh" ] || . "$part"
done
[ $failures = 0 ] && echo "predict: all good"
exit $((failures > 0))
