#!/bin/sh
# tests/check/run.sh BUILD [PART…]: the tests of the static check. Parts: `programs` (every program with
# its twin), `table3` (the ten cases of the paper), `command` (the command line), `robust` (input that
# must not break it), `mutants` (IR that no compiler made). Without a part, all.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:?usage: tests/check/run.sh BUILD [PART…]}" && pwd)
shift
[ $# -gt 0 ] || set -- programs table3 command robust mutants
[ -e "$build/lib/libsnag-llvm.so" ] || { echo "skipped: built without LLVM"; exit 77; }
for part in "$@"; do
    case $part in
    programs) "$here/run" "$build" ;;
    table3) "$here/run" --folder "$here/../../bench/check/table3" "$build" ;;
    command | robust)
        work=$(mktemp -d)
        trap 'rm -rf "$work"' EXIT
        (cd "$work" && sh -eu "$here/$part.sh" "$build" "$here")
        rm -rf "$work"
        ;;
    mutants)
        work=$(mktemp -d)
        trap 'rm -rf "$work"' EXIT
        (cd "$work" && python3 "$here/mutate.py" "$build/snag" 120)
        rm -rf "$work"
        ;;
    *) echo "run.sh: no part '$part'" >&2; exit 2 ;;
    esac
done
