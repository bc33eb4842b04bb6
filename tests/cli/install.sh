# make install: snag works from PREFIX/bin, with its library in PREFIX/lib/snag.
. "$(dirname "$0")/lib.sh"
expect 0 cmake --install "$1" --prefix "$PWD/prefix"
SNAG=$PWD/prefix/bin/snag
build_race
ldd race | grep -q "$PWD/prefix/lib/snag/" || fail "the program does not use the installed library"
expect 0 ./race
expect 66 "$SNAG" race ./race
says 'counter'
expect 0 "$SNAG" race ./fixed
ln -s prefix/bin/snag link
expect 66 ./link race ./race # by a link it finds its library too
