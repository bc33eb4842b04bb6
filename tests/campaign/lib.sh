# lib.sh: what the tests of campaigns share, on top of the command line tests' own helpers.
. "$(dirname "$0")/../cli/lib.sh"

# stores.c: ./stores N makes race number N % 10: two plain writes, each in a line of its own, so that
# every run of it finds exactly this one.
write_stores() {
    {
        echo '#include <pthread.h>'
        echo '#include <stdlib.h>'
        echo 'static int which;' && echo 'int cell[10];'
        for i in 0 1 2 3 4 5 6 7 8 9; do
            echo "static void left$i(void) { cell[$i] = 1; }"
            echo "static void right$i(void) { cell[$i] = 2; }"
        done
        echo 'static void (*const left[])(void) = {left0, left1, left2, left3, left4, left5, left6, left7, left8, left9};'
        echo 'static void (*const right[])(void) = {right0, right1, right2, right3, right4, right5, right6, right7, right8, right9};'
        echo 'static void *work(void *arg) { right[which](); return arg; }'
        echo 'int main(int argc, char **argv)'
        echo '{'
        echo '    pthread_t t;'
        echo '    which = argc > 1 ? atoi(argv[1]) % 10 : 0;'
        echo '    if (pthread_create(&t, 0, work, 0)) return 99;'
        echo '    left[which]();'
        echo '    return pthread_join(t, 0);'
        echo '}'
    } >stores.c
    "$SNAG" cc -g -O1 -pthread -o stores stores.c
}

# write_campaign UNITS: one unit each for ./stores 1 … UNITS.
write_campaign() {
    {
        echo 'name test'
        i=1
        while [ $i -le "$1" ]; do
            echo "program ./stores $i"
            i=$((i + 1))
        done
        echo 'engine race'
        echo 'timeout 100'
    } >test.campaign
}

# findings STORE FILE: all that the store shows, as JSON.
findings() {
    "$SNAG" list --candidates --store "$1" --json "$2" >/dev/null 2>&1 || :
    [ -s "$2" ] || fail "nothing in the store $1"
}

# same A B: two lists are the same to the byte.
same() {
    cmp -s "$1" "$2" || { diff "$1" "$2" | head -n 20; fail "$1 and $2 differ"; }
}

# whole UNITS FILE: ten findings, each as often as there are units for it.
whole() {
    [ "$(grep -c '"hits"' "$2")" = 10 ] || fail "not ten findings in $2"
    [ "$(grep -c "\"hits\": $(($1 / 10))," "$2")" = 10 ] || fail "hits are not counted once per unit"
}
