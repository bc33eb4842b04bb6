#!/bin/sh
# version.sh: the version, from its one place: project() in CMakeLists.txt.
sed -n 's/^project(snag VERSION \([0-9.]*\).*/\1/p' "$(dirname "$0")/../CMakeLists.txt"
