# Caveats 1 to 5 of RDIT: hb and mc give a false alarm, rdit does not, and the twin's race is found.
build caveats hidden

# record NAME [race]
record() {
    local exclude=()
    case $1 in global | unnamed | exclude) exclude=(--exclude 'excluded_*') ;; esac
    "$snag" trace record --no-store --quiet "${exclude[@]}" -o c.trace ./caveats "$@" ||
        fail "caveats $*: not recorded"
}

race='race caveats.c:22 caveats.c:27'
for name in overlap callback ordinary chain global exclude inside own; do
    record $name
    [ "$(lists hb c.trace)" = "$race" ] || fail "$name: hb has no false alarm: the case shows nothing"
    [ "$(lists mc c.trace)" = "$race" ] || fail "$name: mc has no false alarm: the case shows nothing"
    [ -z "$(lists rdit c.trace)" ] || fail "$name: rdit gives a false alarm"
    record $name race
    [ "$(lists rdit c.trace)" = "$race" ] || fail "$name: rdit misses the twin's race"
done

# what SNAG_GLOBAL is for: without it two excluded functions meet unseen
record unnamed
[ "$(lists rdit c.trace)" = "$race" ] || fail "unnamed: the global was found without its name"
