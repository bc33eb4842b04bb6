# snag trace: text to the compact form and back, what a trace holds, what cannot be read.
. "$(dirname "$0")/lib.sh"

cat >some.trace <<'END'
name x 0x5000 8
T0 create T1 @main(a.c:1)
T1 start T0
T1 write x 4 =5 @a.c:3<main(a.c:9)
T1 atomic-rmw n 8 acq_rel =1->2 @b.c:10
T1 leave-code f D=x:8 @a.c:8
T1 enter-code f
T1 end
T0 join T1 @a.c:12
END
expect 0 "$SNAG" trace pack some.trace -o packed
[ "$(head -c 7 packed)" = SNAGTRC ] || fail "not the compact form"
expect 0 "$SNAG" trace text packed
grep -v '^name' "$out" >again
grep -v '^name' some.trace | cmp - again || fail "other events came back"
expect 0 "$SNAG" trace text packed -o text && silent
expect 0 "$SNAG" trace pack text -o twice
cmp packed twice || fail "another trace came back"
expect 0 "$SNAG" trace dump packed
prints '8 events, 2 threads'
prints '1 write'
prints '       2  T1 write x 4 =5 @a.c:3<main(a.c:9)'

expect 125 "$SNAG" trace
expect 125 "$SNAG" trace show packed
expect 125 "$SNAG" trace pack some.trace
says '-o'
expect 125 "$SNAG" trace text nosuch
head -c 20 packed >cut
expect 0 "$SNAG" trace dump cut
prints 'was not finished'
printf 'SNAGTRC\n\377\377\377\377\0\0\0\0' >newer
expect 125 "$SNAG" trace dump newer
says 'version'
echo 'T1 write x =' >bad
expect 125 "$SNAG" trace pack bad -o never
[ ! -e never ] || fail "half a trace was left behind"
