#!/bin/sh
# build.sh FOLDER "NINJA FLAGS" [CMAKE FLAGS…]: configures the folder when needed, and builds in it.
set -eu
folder=$1
ninja_flags=$2
shift 2
if [ ! -f "$folder/build.ninja" ] || [ $# -gt 0 ]; then
    cmake -S . -B "$folder" -G Ninja "$@" >"${TMPDIR:-/tmp}/snag-cmake.$$" ||
        { cat "${TMPDIR:-/tmp}/snag-cmake.$$"; rm -f "${TMPDIR:-/tmp}/snag-cmake.$$"; exit 1; }
    rm -f "${TMPDIR:-/tmp}/snag-cmake.$$"
fi
# shellcheck disable=SC2086 # several flags
ninja -C "$folder" $ninja_flags
