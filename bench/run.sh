#!/bin/sh
# `make bench`: all benchmarks, one after the other. Options go to each of them; see --help.
# SNAG is the command that is measured (default build/snag).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
exec python3 "$here/race/run.py" "$@"
