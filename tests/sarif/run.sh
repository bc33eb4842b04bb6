#!/bin/sh
# run.sh BUILD: SARIF and JUnit of real findings: race, deadlock, misuse, contract, confirmed with a
# schedule. The whole SARIF schema is used when it is in BUILD/sarif-2.1.0.json (make check-sarif).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
snag=$build/snag
python3 -c 'import jsonschema' 2>/dev/null || { echo "skipped: no python3-jsonschema"; exit 77; }
unset SNAG_OPTIONS
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
find_it() { # COMMAND EXAMPLE OPTIONS…
    command=$1 name=$2
    shift 2
    cp "$here/../../examples/$name.c" .
    "$snag" cc -O1 -pthread -o "$name" "$name.c"
    status=0
    "$snag" "$command" "$@" --quiet "./$name" >/dev/null || status=$?
    [ $status = 66 ] || { echo "snag $command ./$name: status $status"; exit 1; }
}
find_it hunt counter --schedules 25
find_it hunt transfer --schedules 25
find_it race handover
find_it run words --runs 5
status=0
"$snag" report --quiet --sarif all.sarif --junit all.xml || status=$?
[ $status = 66 ] || { echo "snag report: status $status"; exit 1; }
"$snag" baseline write known.json 2>/dev/null
"$snag" report --quiet --baseline known.json --sarif known.sarif
grep -q '"threadFlows"' all.sarif || { echo "no flow in the report"; exit 1; }
schema=
if [ -f "$build/sarif-2.1.0.json" ]; then schema="--schema $build/sarif-2.1.0.json"; fi
# shellcheck disable=SC2086
python3 -W ignore "$here/check.py" all.sarif known.sarif --junit all.xml $schema

# a fingerprint outlives moved lines and another build; another bug has another one
prints() { grep -o '"snagFingerprint/v1": "[0-9a-f]*"' "$1" | sort -u; }
find_race() { # SARIF: the threads may meet so closely that one run does not see it
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        "$snag" race --no-store --quiet --sarif "$1" ./counter >/dev/null 2>&1 || true
        [ -z "$(prints "$1")" ] || break
    done
}
find_race 1.sarif
{ printf '\n\n\n'; cat counter.c; } >moved.c && mv moved.c counter.c
"$snag" cc -O2 -pthread -o counter counter.c
find_race 2.sarif
[ -n "$(prints 1.sarif)" ] && [ "$(prints 1.sarif)" = "$(prints 2.sarif)" ] || { echo "the fingerprint changed"; exit 1; }
sed -i 's/visitors++/visitors += 1/' counter.c
"$snag" cc -O2 -pthread -o counter counter.c
"$snag" race --no-store --quiet --sarif 3.sarif ./counter >/dev/null 2>&1 || true
[ "$(prints 1.sarif)" != "$(prints 3.sarif)" ] || { echo "another line has the same fingerprint"; exit 1; }
# a check that cannot fail is none
sed 's/"startLine": [0-9]*/"startLine": 0/' all.sarif >bad.sarif
! python3 -W ignore "$here/check.py" bad.sarif >/dev/null || { echo "a wrong report passed"; exit 1; }
