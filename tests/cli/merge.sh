# snag merge: stores of several machines become one, in any order, any number of times.
. "$(dirname "$0")/lib.sh"
build_race
sed 's/counter/total/g' race.c >other.c && "$SNAG" cc -O1 -pthread -o other other.c
expect 66 "$SNAG" race --quiet --store a ./race
expect 66 "$SNAG" race --quiet --store b ./race
expect 66 "$SNAG" race --quiet --store b ./other
expect 0 "$SNAG" merge --store ab a b
expect 0 "$SNAG" merge --store ba b a b
"$SNAG" list --store ab >ab.list || :
"$SNAG" list --store ba >ba.list || :
[ "$(wc -l <ab.list)" = 2 ] || fail "not two findings: $(cat ab.list)"
cmp -s ab.list ba.list || fail "the order of merging shows"
expect 125 "$SNAG" merge --store ab nosuch
expect 125 "$SNAG" merge
"$SNAG" list --store ab >again.list || :
cmp -s ab.list again.list || fail "a failed merge changed the store"
