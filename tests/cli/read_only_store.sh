# A folder without write permission, as someone who is not root.
. "$(dirname "$0")/lib.sh"
build_race
as=
unprivileged
mkdir closed && chmod 555 closed
expect 125 $as "$SNAG" race --store closed/store ./race
[ ! -s "$out" ] || fail "the program was run"
expect 66 "$SNAG" race --store closed_later ./race
chmod -R a-w closed_later
expect 125 $as "$SNAG" race --store closed_later ./race
[ ! -s "$out" ] || fail "the program was run"
chmod -R u+w closed_later
