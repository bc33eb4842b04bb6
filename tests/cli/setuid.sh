# A setuid program is not run: the loader would keep snag out of it.
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" = 0 ] || skip "needs root, to make a setuid program of another user"
unprivileged
build_race
chmod 4755 fixed
expect 125 $as "$SNAG" race --no-store ./fixed
says 'setuid'
[ ! -s "$out" ] || fail "the program was run"
expect 0 "$SNAG" race --no-store ./fixed # root gains nothing by the bit
