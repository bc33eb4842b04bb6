# snag baseline and --baseline: only what is new counts, what is gone is named, moved lines are the same.
. "$(dirname "$0")/lib.sh"
build_race
expect 66 "$SNAG" race --quiet ./race
expect 0 "$SNAG" baseline write
says 'snag-baseline.json'
expect 0 "$SNAG" baseline check
says '1 known finding not shown (snag-baseline.json)'
expect 0 "$SNAG" race --no-store --baseline snag-baseline.json ./race
says '1 known'
expect 0 "$SNAG" race --no-store --quiet --baseline snag-baseline.json --sarif s.json --json j.json --junit u.xml ./race
grep -q '"baselineState": "unchanged"' s.json || fail "SARIF does not say that it is unchanged"
grep -q '"known": "baseline"' j.json || fail "JSON does not say that it is known"
grep -q 'failures="0"' u.xml || fail "JUnit counts it"

# the same bug some lines further down, indented
{ printf '/* a\n * b\n * c */\n\n'; sed 's/^    counter++/        counter++/' race.c; } >moved.c && mv moved.c race.c
"$SNAG" cc -O1 -pthread -o race race.c
expect 0 "$SNAG" race --no-store --baseline snag-baseline.json ./race
says '1 known'

# a new one beside it
sed 's/^int counter;/int counter, other;/; s/counter++;/counter++; other++;/' race.c >two.c
"$SNAG" cc -O1 -pthread -o two two.c
expect 66 "$SNAG" race --no-store --baseline snag-baseline.json ./two
says 'other'

# one that is gone
expect 0 "$SNAG" race --no-store --baseline snag-baseline.json ./fixed
says 'not seen any more, but in snag-baseline.json: data race on `counter`'

expect 125 "$SNAG" race --no-store --baseline nosuch.json ./race
says 'snag baseline write makes one'
[ ! -s "$out" ] || fail "the program was run"
echo '{}' >empty.json
expect 125 "$SNAG" baseline check empty.json
expect 125 "$SNAG" baseline
expect 125 "$SNAG" baseline nosuch
