# The recorder: an order in which every value is right, whatever ends the program; fork, exec.
build storm
for end in '' kill abort _exit crash exec fork; do
    rm -f s.trace*
    "$snag" trace record --no-store --quiet -o s.trace ./storm $end >/dev/null 2>&1
    status=$?
    case $end in
    kill) want=137 ;; abort) want=134 ;; _exit) want=3 ;; crash) want=139 ;; *) want=0 ;;
    esac
    [ $status = $want ] || fail "storm $end: status $status"
    for trace in s.trace*; do
        "$snag" trace text "$trace" >s.txt || fail "storm $end: $trace cannot be read"
        python3 "$here/consistent.py" s.txt 10000 >s.out 2>&1 || fail "storm $end: $(head -2 s.out)"
    done
    case $end in
    fork | exec) [ -e s.trace.1 ] || fail "storm $end: no trace of the second process" ;;
    esac
done
# 8 bytes an event at most
size=$("$snag" trace dump s.trace | sed -n '1s/.* \([0-9.]*\) an event/\1/p')
awk -v s="$size" 'BEGIN { exit !(s > 0 && s < 8) }' || fail "storm: $size bytes an event"
# what is damaged is refused, with its place
head -c 2000 s.trace >cut.trace
"$snag" trace dump cut.trace >cut.out 2>&1
grep -q 'not finished\|byte' cut.out || fail "a trace that was cut off: $(tail -1 cut.out)"
printf 'X' | dd of=s.trace bs=1 seek=3000 conv=notrunc 2>/dev/null
"$snag" predict --no-store --trace s.trace >cut.out 2>&1
[ $? = 125 ] && grep -q 'byte' cut.out || fail "a damaged trace: $(tail -1 cut.out)"
# nothing recorded, and what cannot be excluded, is said
cp /bin/true plain
"$snag" trace record --no-store -o no.trace ./plain >cut.out 2>&1
[ $? = 125 ] && grep -q 'not instrumented' cut.out || fail "a plain program: $(tail -1 cut.out)"
"$snag" predict --no-store --exclude 'nosuch*' ./storm >cut.out 2>&1
[ $? = 125 ] && grep -q 'nosuch' cut.out || fail "a pattern in vain: $(tail -1 cut.out)"
# structs that are copied: no value is that of before, whenever the thread loses its turn
build copies
for i in 1 2 3 4 5 6 7 8; do
    "$snag" trace record --no-store --quiet --seed $i -o k.trace ./copies || fail "copies: not recorded"
    "$snag" trace text k.trace >s.txt
    python3 "$here/consistent.py" s.txt 5000 >s.out 2>&1 || fail "copies: $(head -2 s.out)"
done
[ -z "$(lists mc k.trace)" ] || fail "copies: mc says $(lists mc k.trace)"
