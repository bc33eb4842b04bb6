# snag list, show, report over what snag race stored.
. "$(dirname "$0")/lib.sh"
build_race
expect 66 "$SNAG" race --quiet --json race.json ./race
expect 0 "$SNAG" race --quiet ./fixed
expect 66 "$SNAG" list
[ "$(wc -l <"$out")" = 1 ] || fail "more than one line"
prints '^1	observed	data-race	.*counter'
expect 66 "$SNAG" show 1
prints 'counter'
prints 'race.c'
expect 66 "$SNAG" show 1 --json -
prints '"kind": *"data-race"'
expect 66 "$SNAG" list --json -
prints '"id": *1'
expect 66 "$SNAG" report --json report.json
grep -q '"data-race"' report.json || fail "the report has no race"
expect 125 "$SNAG" show 2
says 'no finding 2'
expect 125 "$SNAG" show
expect 125 "$SNAG" show one
expect 125 "$SNAG" list extra
expect 125 "$SNAG" report extra

# what could not be shown is no success
if [ -c /dev/full ]; then
    for command in list "show 1" help; do
        status=0
        # shellcheck disable=SC2086
        "$SNAG" $command >/dev/full 2>"$err" || status=$?
        [ $status = 125 ] || fail "status $status of $command on a full disk"
        says 'not all could be written to stdout'
    done
fi
