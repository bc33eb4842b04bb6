# Without /proc no program can be watched: that is said, and none is run. What runs none works.
. "$(dirname "$0")/lib.sh"
[ -z "${ASAN_OPTIONS:-}" ] || skip "AddressSanitizer has its options from /proc"
unshare -m true 2>/dev/null || skip "no mount namespace can be made"
build_race
cat >inside.sh <<'END'
umount -l /proc || exit 77
exec "$@"
END
try unshare -m sh inside.sh true
[ "$status" = 0 ] || skip "/proc cannot be unmounted"
for command in race run hunt learn predict; do
    expect 125 unshare -m sh inside.sh "$SNAG" $command --no-store ./race
    says '/proc is not mounted'
    [ ! -s "$out" ] || fail "the program was run"
done
expect 0 "$SNAG" race --no-store ./fixed
expect 66 "$SNAG" race --quiet ./race
expect 66 unshare -m sh inside.sh "$SNAG" list
prints counter
expect 125 unshare -m sh inside.sh "$SNAG" doctor
prints '/proc is not mounted'
