# pkg-config from an installed prefix: flags, and the compilers as variables.
. "$(dirname "$0")/lib.sh"
command -v pkg-config >/dev/null || skip "no pkg-config"
expect 0 cmake --install "$1" --prefix "$PWD/prefix"
export PKG_CONFIG_PATH="$PWD/prefix/lib/pkgconfig"
expect 0 pkg-config --modversion snag
[ "snag $(cat "$out")" = "$("$SNAG" --version)" ] || fail "another version than the command"
SNAG=$PWD/prefix/bin/snag
write_race
# shellcheck disable=SC2046
expect 0 gcc -O1 -pthread $(pkg-config --cflags snag) -c race.c
expect 0 gcc -pthread -o race race.o $(pkg-config --libs snag)
expect 66 "$SNAG" race --no-store ./race
says 'counter'
cc=$(pkg-config --variable=cc snag)
for SNAG_CC in $(two_compilers); do
    export SNAG_CC
    expect 0 $cc -O1 -pthread -DFIXED -o fixed race.c
    expect 0 "$SNAG" race --no-store ./fixed
done
# what else an installation has
for file in share/man/man1/snag.1 share/man/man1/snag-hunt.1 share/bash-completion/completions/snag \
    share/zsh/site-functions/_snag share/fish/vendor_completions.d/snag.fish share/doc/snag/README.md \
    share/doc/snag/examples/bank.c lib/cmake/snag/snag-config.cmake include/snag.h; do
    [ -s "prefix/$file" ] || fail "$file is not installed"
done
for name in $("$SNAG" help --names); do
    [ -s "prefix/share/man/man1/snag-$name.1" ] || fail "snag $name has no manual page"
done
! grep -rl "$PWD" prefix/share prefix/lib/cmake prefix/lib/pkgconfig || fail "a path of this machine is in it"
