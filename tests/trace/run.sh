#!/bin/sh
# run.sh BUILD_DIR [TRACE…]: every trace with every algorithm, as text and packed, against its lines
#     # expect: race a.c:3 b.c:9          all algorithms say this
#     # expect[mc,rdit]: race a.c:3 b.c:9 only these do
#     # expect: none                      nothing, unless other lines say more
#     # options: --window 6               for snag predict
# Nothing else may be said.
set -u
build=$1
shift
here=$(dirname "$0")
snag=$build/snag
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
[ $# -gt 0 ] || set -- "$here"/*.trace
failed=0
total=0
algorithms="hb cp mc rdit"
if "$snag" predict --no-store --trace "$here/race.trace" 2>&1 | grep -q 'Z3 cannot be loaded'; then
    echo "there is no Z3 here: hb and cp only"
    algorithms="hb cp"
fi

# shellcheck disable=SC2046,SC2086
expected() { # ALGORITHM TRACE
    sed -n -e 's/^# expect: //p' -e "s/^# expect\[\([a-z,]*\)\]: /[\1] /p" "$2" |
        while read -r word rest; do
            case $word in
            none) ;;
            \[*\])
                case ,$(echo "$word" | tr -d '[]'), in
                *,"$1",*) echo "$rest" ;;
                esac
                ;;
            *) echo "$word $rest" ;;
            esac
        done | while read -r what sites; do
            echo "$what" $(printf '%s\n' $sites | LC_ALL=C sort)
        done | LC_ALL=C sort -u
}

for trace in "$@"; do
    name=$(basename "$trace" .trace)
    options=$(sed -n 's/^# options: //p' "$trace")
    if ! grep -q '^# expect' "$trace"; then
        echo "$name: it expects nothing, not even none"
        failed=$((failed + 1))
        continue
    fi
    "$snag" trace pack "$trace" -o "$dir/$name.packed" || failed=$((failed + 1))
    for algorithm in $algorithms; do
        expected $algorithm "$trace" >"$dir/want"
        for file in "$trace" "$dir/$name.packed"; do
            total=$((total + 1))
            # shellcheck disable=SC2086
            "$snag" predict --no-store --trace "$file" --algorithm $algorithm $options --list \
                >"$dir/got" 2>"$dir/said"
            status=$?
            want_status=0
            [ -s "$dir/want" ] && want_status=66
            if [ $status != $want_status ] || ! cmp -s "$dir/want" "$dir/got"; then
                echo "$name, $algorithm, $(basename "$file"): status $status, expected $want_status"
                diff "$dir/want" "$dir/got" | sed 's/^/    /'
                cat "$dir/said"
                failed=$((failed + 1))
            fi
        done
    done
done
echo "$total runs, $failed failed"
[ $failed = 0 ]
