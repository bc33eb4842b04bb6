# A full disk: found before the run when there is no room at all; when it fills up during the run, the
# report is printed, the run files are kept, and can be taken in later.
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" = 0 ] || skip "needs root, to mount a small file system"
chmod 755 . && mkdir small
mount -t tmpfs -o size=1m snag-test small 2>/dev/null || skip "mount is not allowed here"
trap 'umount small' EXIT
build_race

head -c 2m /dev/zero >small/fill 2>/dev/null || :
expect 125 "$SNAG" race --store small/store ./race
[ ! -s "$out" ] || fail "the program was run"
[ -s "$err" ] || fail "no message"

rm -rf small/fill small/store
cat >fill.sh <<'END'
#!/bin/sh
./race
head -c 2m /dev/zero >small/fill 2>/dev/null
exit 0
END
chmod +x fill.sh
expect 125 "$SNAG" race --store small/store ./fill.sh
says 'counter' # the report
says 'kept in'
kept=$(sed -n 's/.*kept in \([^;]*\);.*/\1/p' "$err")
[ -d "$kept" ] || fail "the run files are not in $kept"
rm small/fill
expect 66 "$SNAG" report --store small/store --run "$kept"
says 'counter'
[ ! -e "$kept" ] || fail "the run files are still there"
expect 66 "$SNAG" list --store small/store
prints 'counter'
