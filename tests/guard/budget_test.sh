#!/bin/sh
# budget_test.sh BUILD: what guarding would cost is estimated, and with --budget what is too much is left out: the
# hottest group, and never what a finding is about. A program that is busy for long has a budget by default.
. "$(dirname "$0")/lib.sh"

cat >mixed.c <<'END'
#include "kernel.h"
#include <time.h>
#ifndef SPINS
#define SPINS 200000
#endif
static volatile long hot;
static volatile int count;
HIDDEN static void work(clock_t ms)
{
    while (clock() < ms * (CLOCKS_PER_SEC / 1000))
        ;
}
static void spin(void)
{
    for (int i = 0; i < SPINS; i++) {
        if (i % 1000 == 0)
            pthread_mutex_lock(&kernel_lock);
        hot++;
        if (i % 1000 == 999)
            pthread_mutex_unlock(&kernel_lock);
    }
}
static void bump(void)
{
    int v = count;
    gap(1500);
    count = v + 1;
}
static void one(void)
{
    start(0);
    bump();
    spin();
#ifdef BUSY_MS
    work(BUSY_MS);
#endif
}
static void two(void) { start(600); bump(); spin(); }
static int is_correct(void) { return count == 2 && hot == 2 * SPINS; }
END
"$snag" cc -O1 -g -I"$here/kernels" -o mixed mixed.c -pthread || exit 1
"$snag" guard build --budget 1 ./mixed -o mixed.none 2>log && fail "a budget without training: $(cat log)"
grep -q "does not tell how much time" log || fail "a budget without training: $(cat log)"
"$snag" learn --quiet --runs 14 ./mixed >/dev/null 2>&1
"$snag" guard --budget 1 ./mixed 2>log && fail "a budget for a run: $(cat log)"

"$snag" guard build $patient ./mixed -o mixed.all 2>log || fail "all: $(cat log)"
grep -Eq "estimated cost: [0-9.]+ % of processor time.*; --budget 1 would leave out [1-9]" log ||
    fail "no estimate: $(cat log)"
"$snag" guard build $patient --budget 100000 ./mixed -o mixed.rich 2>log || fail "rich: $(cat log)"
grep -q "left out" log && fail "there was money enough: $(cat log)"

"$snag" guard build $patient --budget 1 --groups ./mixed -o mixed.cheap 2>log >groups || fail "cheap: $(cat log)"
grep -q "left out: .*the hottest is spin() mixed.c" log || fail "the hot loop is not left out: $(cat log)"
[ "$(grep -c "left out" groups)" = 1 ] || fail "not one group is left out: $(cat groups)"
grep -q "cost [0-9.]* %  left out  spin() mixed.c" groups || fail "no cost: $(cat groups)"
# a function in which nothing is guarded loses its instrumentation, which else costs something
grep -q "and 0.0 % where calls are gone" log || fail "calls that are gone cost something: $(cat log)"
"$snag" guard build --budget 1 --as-is ./mixed -o mixed.as_is 2>log || fail "as it is: $(cat log)"
grep -Eq "and ([1-9]|0[.][1-9])[0-9.]* % where calls are gone" log || fail "calls that are gone cost nothing: $(cat log)"
mv mixed.c mixed.c.away
"$snag" guard build --budget 1 ./mixed -o mixed.as_is 2>log || fail "without its source: $(cat log)"
mv mixed.c.away mixed.c
grep -Eq "as the program is, calls that are gone cost about ([1-9]|0[.][1-9])" log ||
    fail "without its source calls that are gone cost nothing: $(cat log)"
shows ./mixed bad || fail "the bug does not show"
prevented ./mixed.cheap || fail "mixed.cheap fails, or did not tell: $(cat violations)"

grep -q "guarding costs" log && fail "the budget was asked for: $(cat log)"
"$snag" guard build $patient ./mixed -o mixed.default 2>log || fail "short: $(cat log)"
grep -q "left out:" log && fail "a short program has a budget by default: $(cat log)"

# one that is busy for long: what takes more than 1 % is left out unless everything is asked for
"$snag" cc -O1 -g -DBUSY_MS=300 -DSPINS=1000000 -I"$here/kernels" -o busy mixed.c -pthread || exit 1
"$snag" learn --runs 12 ./busy >learned 2>&1 || fail "learn: $(cat learned)"
right=$(sed -n 's/.*learned from \([0-9]*\) correct.*/\1/p' learned) wrong=$(sed -n 's/.* runs, \([0-9]*\) were.*/\1/p' learned)
[ $((right + wrong)) = 12 ] || fail "the run for speed counts as training: $(cat learned)"
"$snag" guard build $patient ./busy -o busy.default 2>log || fail "busy: $(cat log)"
grep -q "left out: .*the hottest is spin() mixed.c" log || fail "no budget by default: $(cat log)"
grep -q "so that guarding costs 1 %.*--budget 100 everything" log || fail "it is not said why: $(cat log)"
prevented ./busy.default || fail "busy.default fails, or did not tell: $(cat violations)"
for all in "--budget 100" --all; do
    "$snag" guard build $patient $all ./busy -o busy.all 2>log || fail "$all: $(cat log)"
    grep -q "left out:" log && fail "$all leaves something out: $(cat log)"
done

# nothing is cheap enough, but what a finding is about stays
"$snag" guard build $patient --budget 0.0000001 ./mixed -o mixed.bare 2>log || fail "bare: $(cat log)"
grep -q " 0 accesses are guarded" log || fail "something is left: $(cat log)"
./mixed.bare || fail "mixed.bare fails in an ordinary run"
found=
for run in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    [ "$found" ] || "$snag" guard $patient --quiet ./mixed bad >/dev/null 2>&1 || found=yes
done
[ "$found" ] || fail "no finding"
"$snag" guard build $patient --budget 0.0000001 ./mixed -o mixed.must 2>log || fail "must: $(cat log)"
grep -q "what findings need stays" log || fail "the budget is not said to be too small: $(cat log)"
grep -q "hottest is spin" log || fail "the hot loop stays: $(cat log)"
prevented ./mixed.must || fail "mixed.must fails, or did not tell: $(cat violations)"

[ $failed = 0 ]
