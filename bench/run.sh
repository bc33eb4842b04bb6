#!/bin/sh
# All benchmarks, one after the other. Options go to each of them; see bench/race/run --help.
# BUILD is the folder that snag was built in (default build), SNAG the command itself.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
for run in "$here"/*/run; do
    "$run" "${BUILD:-$here/../build}" "$@"
done
