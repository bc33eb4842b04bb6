#!/bin/sh
# run.sh BUILD [NAME…]: runs tests/cli/NAME.sh (all when none is named), each in an empty folder of its
# own with an environment that has no setting of snag's. Status 1 when one failed, 77 when all that ran
# were skipped.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
shift
if [ $# = 0 ]; then
    for script in "$here"/*.sh; do
        name=$(basename "$script" .sh)
        case $name in run | lib) ;; *) set -- "$@" "$name" ;; esac
    done
fi
unset SNAG_OPTIONS SNAG_CC SNAG_CXX SNAG_RUN_DIR SNAG_RT TSAN_OPTIONS CC CXX CFLAGS CXXFLAGS LDFLAGS
passed=0 failed=0 skipped=0
for name; do
    work=$(mktemp -d)
    (cd "$work" && exec sh -eu "$here/$name.sh" "$build")
    case $? in
    0) passed=$((passed + 1)) ;;
    77) skipped=$((skipped + 1)) ;;
    *) failed=$((failed + 1)) && echo "FAILED: tests/cli/$name.sh" ;;
    esac
    rm -rf "$work"
done
echo "cli: $passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ] || exit 1
[ $passed != 0 ] || exit 77
