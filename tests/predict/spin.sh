# A witness whose thread would spin for a lock that another holds: its turn is over, so the program ends.
build spin
"$snag" predict --no-store --exclude 'spin_*' ./spin race 2>spin.err
[ $? = 66 ] || fail "spin: nothing predicted: $(tail -3 spin.err)"
grep -q 'data race on `others`' spin.err || fail "spin: the race is not predicted: $(tail -3 spin.err)"
! grep -q 'no end' spin.err || fail "spin: a correct lock is said not to end"
"$snag" predict --no-store --exclude 'spin_*' ./spin 2>spin.err || fail "spin, fixed: $(tail -20 spin.err)"
