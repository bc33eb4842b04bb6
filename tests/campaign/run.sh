#!/bin/sh
# run.sh BUILD NAME: runs tests/campaign/NAME.sh in an empty folder.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
unset SNAG_OPTIONS SNAG_CC SNAG_CXX SNAG_RUN_DIR SNAG_RT SNAG_UNIT SNAG_HOME SNAG TSAN_OPTIONS
work=$(mktemp -d)
(cd "$work" && exec sh -eu "$here/$2.sh" "$build")
status=$?
rm -rf "$work"
exit $status
