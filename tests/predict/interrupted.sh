# Handlers and callbacks inside calls: what the library does after them belongs to the call.
build interrupted hidden
race="race interrupted.c:$(grep -n 'data = 1;' "$here/interrupted.c" | cut -d: -f1)"
race="$race interrupted.c:$(grep -n 'result = data;' "$here/interrupted.c" | cut -d: -f1)"
for name in signal signal-calls callback callback-calls; do
    "$snag" trace record --no-store --quiet -o i.trace ./interrupted $name || fail "interrupted $name: not recorded"
    [ "$(lists hb i.trace)" = "$race" ] || fail "interrupted $name: hb has no false alarm: the case shows nothing"
    [ -z "$(lists rdit i.trace)" ] || fail "interrupted $name: rdit gives a false alarm"
    "$snag" trace record --no-store --quiet -o i.trace ./interrupted $name race ||
        fail "interrupted $name race: not recorded"
    [ "$(lists rdit i.trace)" = "$race" ] || fail "interrupted $name: rdit misses the twin's race"
done
"$snag" trace record --no-store --quiet -o i.trace ./interrupted step || fail "interrupted step: status $?"
