# Options: both forms, where they end, SNAG_OPTIONS, and what is said about wrong ones.
. "$(dirname "$0")/lib.sh"
build_race

expect 0 "$SNAG" --version
prints '^snag [0-9]'
expect 0 "$SNAG" help
expect 0 "$SNAG" race --help
expect 125 "$SNAG"
expect 125 "$SNAG" nosuch
says "no command 'nosuch'"
expect 125 "$SNAG" help nosuch

expect 125 "$SNAG" race --detectr=hybrid ./race
says 'unknown option --detectr'
says '--detector'
expect 125 "$SNAG" race --detector=best ./race
says 'fasttrack|hybrid'
expect 125 "$SNAG" race --timeout -1 ./race
says '--timeout is a number from 0 on'
expect 125 "$SNAG" race --runs 0 ./race
expect 125 "$SNAG" race --runs
says 'needs a value'
expect 125 "$SNAG" race
says 'no program'
expect 125 "$SNAG" race --json nosuch/dir/x.json ./race
says 'cannot be written'
expect 125 "$SNAG" race --html nosuch/dir/x.html ./race
says 'cannot be written'
[ ! -s "$out" ] || fail "the program was run"
[ ! -e .snag ] || fail "a wrong option left a store behind"

# options end at the program: its own are its own
expect 3 "$SNAG" race --no-store --quiet ./fixed 3
expect 0 "$SNAG" race --no-store --quiet -- ./fixed
expect 9 "$SNAG" race --no-store --quiet --exitcode 9 ./race
expect 9 "$SNAG" race --no-store --quiet --exitcode=9 ./race
silent
prints '^done$'

expect 9 env SNAG_OPTIONS="exitcode=9 no-store quiet" "$SNAG" race ./race
silent
[ ! -e .snag ] || fail "no-store made a store"
expect 8 env SNAG_OPTIONS="exitcode=9 no-store" "$SNAG" race --exitcode 8 ./race
expect 125 env SNAG_OPTIONS="exitcoed=9" "$SNAG" race ./race
says 'exitcode'
expect 125 env SNAG_OPTIONS="exitcode=many" "$SNAG" race ./race
# another command's option does no harm: one setting serves a whole test run
expect 125 env SNAG_OPTIONS="detector=hybrid" "$SNAG" show 1 2
says 'takes the number'
