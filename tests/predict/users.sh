# Small programs as users write them: the race is predicted and, where no library waits in a loop of its
# own, made to happen; the twin is silent.
build users hidden
for name in cache pool forkjoin loop; do
    "$snag" predict --no-store --json users.json ./users $name race 2>users.err
    [ $? = 66 ] && grep -q '"kind": "data-race"' users.json || fail "users $name: $(tail -3 users.err)"
    case $name in cache | forkjoin)
        grep -q '"status": "confirmed"' users.json || fail "users $name: not confirmed: $(tail -3 users.err)" ;;
    esac
    "$snag" predict --no-store ./users $name 2>users.err || fail "users $name, fixed: $(tail -20 users.err)"
done
