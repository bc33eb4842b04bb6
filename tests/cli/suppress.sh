# snag suppress ID: found as ever, neither shown nor counted; --undo takes it back.
. "$(dirname "$0")/lib.sh"
build_race
expect 66 "$SNAG" race --quiet ./race
expect 0 "$SNAG" suppress 1 --reason 'a counter for fun'
says 'finding 1 is suppressed'
expect 0 "$SNAG" list
[ ! -s "$out" ] || fail "it is listed"
expect 0 "$SNAG" race ./race
says '1 suppressed finding not shown'
expect 0 "$SNAG" report --json all.json
grep -q '"known": "suppressed"' all.json || fail "JSON does not have it"
expect 0 "$SNAG" suppress --list
prints 'counter.*a counter for fun'
expect 0 "$SNAG" suppress --undo 1
expect 66 "$SNAG" list
expect 66 "$SNAG" race --quiet ./race
expect 0 "$SNAG" suppress --list
[ ! -s "$out" ] || fail "it is still in the list"
expect 125 "$SNAG" suppress 7
says 'no finding 7'
expect 125 "$SNAG" suppress
expect 125 "$SNAG" suppress one
