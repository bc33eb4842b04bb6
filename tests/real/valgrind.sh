#!/bin/sh
# The test programs of Helgrind and DRD, from Debian's source package, under Helgrind, DRD, the
# ThreadSanitizers of gcc and clang, and `snag race`: who reports what, against valgrind-truth.txt.
# Not part of `make check`: it fetches sources and takes many minutes. Options: --help.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
exec python3 "$here/valgrind.py" "$@"
