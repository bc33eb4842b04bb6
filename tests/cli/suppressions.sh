# --suppressions FILE in ThreadSanitizer's syntax.
. "$(dirname "$0")/lib.sh"
build_race
echo 'race:add' >match
echo 'race:nosuchfunction' >other
echo 'what is this' >wrong
expect 0 "$SNAG" race --no-store --suppressions match ./race
expect 66 "$SNAG" race --no-store --suppressions other ./race
expect 125 "$SNAG" race --no-store --suppressions wrong ./race
[ ! -s "$out" ] || fail "the program was run"
expect 125 "$SNAG" race --no-store --suppressions nosuch ./race
