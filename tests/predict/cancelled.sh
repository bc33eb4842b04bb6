# In the witness it is the turn of a thread that waits outside, for one that waits for its turn to
# end: that is no deadlock. Without anybody who could cancel it, it is one.
build cancelled
"$snag" predict --no-store ./cancelled race 2>cancelled.err
[ $? = 66 ] || fail "cancelled: nothing predicted: $(tail -3 cancelled.err)"
grep -q 'data race on `counter`.*confirmed' cancelled.err || fail "cancelled: not confirmed: $(tail -3 cancelled.err)"
! grep -q 'deadlock' cancelled.err || fail "cancelled: a deadlock where there is none"
"$snag" predict --no-store ./cancelled 2>cancelled.err || fail "cancelled, fixed: $(tail -20 cancelled.err)"
"$snag" fuzz --no-store --stop-on-first ./cancelled stuck 2>cancelled.err
[ $? = 66 ] || fail "cancelled, stuck: $(tail -3 cancelled.err)"
grep -q 'deadlock between pthread_join() in main() and read()' cancelled.err || fail "cancelled, stuck: no deadlock: $(tail -3 cancelled.err)"
