# snag predict: report, store, statuses, damaged and unfinished traces, the same result on any number
# of processors.
. "$(dirname "$0")/lib.sh"

cat >race.trace <<'END'
T0 create T1 @main(a.c:1)
T0 create T2 @main(a.c:2)
T1 start T0
T1 lock m @f(a.c:10)
T1 write x 4 =1 @f(a.c:11)
T1 unlock m @f(a.c:12)
T2 start T0
T2 lock m @g(a.c:20)
T2 unlock m @g(a.c:22)
T2 read x 4 =1 @g(a.c:23)
END
sed 's/T2 unlock m.*/T2 yield/' race.trace >fixed.trace

expect 66 "$SNAG" predict --trace race.trace
says 'data race on `x` between f() and g() (predicted'
says 'one order of events that shows it'
says '→ write x (a.c:11)'
expect 0 "$SNAG" predict --trace fixed.trace
expect 5 "$SNAG" predict --trace race.trace --exitcode 5
expect 66 "$SNAG" list
prints 'predicted	data-race'
[ "$(wc -l <"$out")" = 1 ] || fail "one race, told three times, is not one finding"
expect 66 "$SNAG" predict --no-store --trace race.trace --json - --quiet
prints '"status": "predicted"'
prints '"engine": "predict"'
prints '"steps"'
echo 'race:f' >hidden
expect 0 "$SNAG" predict --no-store --trace race.trace --suppressions hidden
says 'left out by hidden'

# a deadlock has a site for each thread
cat >locks.trace <<'END'
T0 create T1
T0 create T2
T1 start T0
T1 lock a @f(a.c:1)
T1 lock b @f(a.c:2)
T1 unlock b
T1 unlock a
T2 start T0
T2 lock b @g(a.c:11)
T2 lock a @g(a.c:12)
T2 unlock a
T2 unlock b
END
expect 66 "$SNAG" predict --no-store --trace locks.trace
says 'deadlock'
says 'a.c:2'
says 'a.c:12'
expect 0 "$SNAG" predict --no-store --trace locks.trace --no-deadlocks

# who takes no notice of unseen code only suspects
cat >unseen.trace <<'END'
T0 create T1
T0 create T2
T1 start T0
T2 start T0
T1 write x 4 =1 @a.c:1
T1 leave-code set D=y
T1 enter-code set
T2 leave-code wait D=y
T2 enter-code wait
T2 read x 4 =1 @a.c:12
END
expect 0 "$SNAG" predict --no-store --trace unseen.trace
for algorithm in hb cp mc; do
    expect 0 "$SNAG" predict --no-store --trace unseen.trace --algorithm $algorithm --json report
    says 'are candidates'
    grep -q '"status": "candidate"' report || fail "$algorithm: not a candidate"
done

# wrong calls
expect 125 "$SNAG" predict
says 'no program given'
expect 125 "$SNAG" predict --trace nosuch
says 'No such file'
expect 125 "$SNAG" predict --trace race.trace ./prog
expect 125 "$SNAG" predict --trace race.trace --exclude 'f*'
expect 125 "$SNAG" predict --trace race.trace --algorithm best
echo 'T1 wrlte x' >bad.trace
expect 125 "$SNAG" predict --trace bad.trace
says 'line 1'
says 'wrlte'

# damage has a position; a program that was killed leaves a trace that is good up to its last block
"$SNAG" trace pack race.trace -o packed
size=$(wc -c <packed)
cp packed damaged
printf 'X' | dd of=damaged bs=1 seek=$((size / 2)) conv=notrunc 2>/dev/null
expect 125 "$SNAG" predict --trace damaged
says 'damaged at byte'
head -c $((size - 32)) packed >unfinished
expect 66 "$SNAG" predict --no-store --trace unfinished
says 'was not finished'

# many windows, any number of processes: the same findings with the same witnesses
awk 'BEGIN {
    print "T0 create T1"; print "T0 create T2"; print "T1 start T0"; print "T2 start T0"
    for (i = 0; i < 3000; i++) {
        t = 1 + int(i / 7) % 2
        if (i % 11 == 0) printf "T%d write r%d 4 =%d @w.c:%d\n", t, i % 5, i, i % 13 + 20 * t
        else printf "T%d lock m\nT%d write x 4 =%d @w.c:%d\nT%d unlock m\n", t, t, i, t, t
    }
}' >many.trace
for jobs in 1 2 5; do
    try "$SNAG" predict --no-store --trace many.trace --window 200 --jobs $jobs --quiet --json -
    [ $status = 66 ] || fail "nothing found with --jobs $jobs"
    sed -n '/"findings"/,/"stats"/p' "$out" >findings.$jobs
done
cmp findings.1 findings.2 && cmp findings.1 findings.5 || fail "the result depends on --jobs"
grep -q '"line"' findings.1 || fail "no findings in the report"
