# --timeout ends the program and all that it started, and says so.
. "$(dirname "$0")/lib.sh"
build_race
cat >tree.sh <<'END'
#!/bin/sh
./race
sleep 1000 &
echo $! >pid1
setsid sh -c 'echo $$ >pid2; exec sleep 1000' &
while [ ! -s pid2 ]; do :; done
touch started
sleep 1000
END
chmod +x tree.sh
expect 66 "$SNAG" race --timeout 10 ./tree.sh
[ -e started ] || fail "the program did not come so far"
says 'timeout'
says 'counter' # what was found before
for pid in $(cat pid1 pid2); do
    if kill -0 "$pid" 2>/dev/null; then fail "process $pid is still there"; fi
done
# 137: killed by SIGKILL
expect 137 "$SNAG" race --timeout 0.5 sh -c './fixed; sleep 1000'
expect 0 "$SNAG" race --timeout 100 ./fixed
