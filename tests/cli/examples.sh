# Every example is found by the command that its head names, as the kind that it names; its fixed twin
# is silent under the same command.
. "$(dirname "$0")/lib.sh"
examples=$(cd "$(dirname "$0")/../../examples" && pwd)
n=0
for fixed in "$examples"/*_fixed.c; do
    buggy=${fixed%_fixed.c}.c
    head=$(sed -n '1,/\*\//p' "$buggy" | tr '\n*' '  ' | tr -s ' ')
    command=$(echo "$head" | sed -n 's/.*Find it with `snag \([a-z]*\)`.*/\1/p')
    echo "$head" | grep -q 'Kind: ' || fail "$buggy does not name its kind"
    case $command in
    race) set -- ;;
    run) set -- --runs 5 ;;
    hunt) set -- --schedules 25 ;;
    *) fail "$buggy does not name the command that finds it" ;;
    esac
    cc=$SNAG
    for program in "$buggy" "$fixed"; do
        expect 0 "$cc" cc -Wall -Wextra -Werror -O1 -pthread -o "$(basename "$program" .c)" "$program"
    done
    expect 66 "$SNAG" $command "$@" --no-store "./$(basename "$buggy" .c)"
    says "$(basename "$buggy")"
    expect 0 "$SNAG" $command "$@" --no-store "./$(basename "$fixed" .c)"
    ! grep -q 'finding' "$err" || fail "the fixed twin is reported"
    n=$((n + 1))
done
[ "$n" -ge 12 ] || fail "only $n examples"
