#!/bin/sh
# compile_test.sh BUILD: guard build --bias compiles hot functions anew, from what snag cc has kept in the
# program: from one command, from objects in other folders, from an archive; not when anything has changed since.
. "$(dirname "$0")/lib.sh"

mkdir -p src objects
cat >src/hot.h <<'EOF'
#define CELLS 64
extern long grid[CELLS];
void relax(int from);
int next_round(void);
int extra(void);
EOF
echo 'int extra(void) { return 3; }' >src/extra.c
cat >src/hot.c <<'EOF'
#include "hot.h"
long grid[CELLS];
static int rounds;
void relax(int from)
{
    for (int i = 1; i < CELLS - 1; i++)
        grid[i] = (grid[i - 1] + grid[i + 1] + from) / 2;
}
int next_round(void) { return ++rounds; } /* cold: guarded */
EOF
cat >src/app.c <<'EOF'
#include <pthread.h>
#include <stdio.h>
#include "hot.h"
static pthread_barrier_t step;
static int winner; /* cold: guarded */
static void *work(void *arg)
{
    for (int i = 0; i < 200; i++) {
        if (i % 2 == (int)(long)arg)
            relax(next_round());
        pthread_barrier_wait(&step);
    }
    if (arg)
        winner = 7;
    pthread_barrier_wait(&step);
    if (!arg)
        winner += 1;
    return NULL;
}
int main(void)
{
    pthread_t t[2];
    long sum = 0;
    pthread_barrier_init(&step, NULL, 2);
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < CELLS; i++)
        sum += grid[i] * i;
    printf("%ld %d\n", sum, winner + extra());
    return 0;
}
EOF

# gone LOG: calls of the instrumentation that became NOPs
gone() {
    sed -n 's/.* \([0-9]*\) calls of the instrumentation are gone.*/\1/p' "$1"
}

# anew NAME: --bias compiles, there are fewer NOPs than without, and the result is the same
anew() {
    "$snag" learn --store "$1.store" --quiet --runs 3 ./prog >usual 2>&1 || fail "$1: no training: $(cat usual)"
    "$snag" guard build --store "$1.store" --bias --as-is ./prog -o plain.guarded 2>as_is || fail "$1: $(cat as_is)"
    grep -q "compiled anew" as_is && fail "$1: --as-is compiles: $(cat as_is)"
    "$snag" guard build --store "$1.store" --bias ./prog -o prog.guarded 2>log || fail "$1: $(cat log)"
    grep -q "compiled anew, so that" log || fail "$1: nothing is compiled anew: $(cat log)"
    grep -q " 0 accesses are guarded" log && fail "$1: nothing is guarded any more: $(cat log)"
    [ "$(gone log)" -lt "$(gone as_is)" ] || fail "$1: as many NOPs as before: $(cat as_is log)"
    [ "$(./prog.guarded)" = "$(./prog)" ] || fail "$1: the result has changed"
}

# refused NAME WORDS: it says why not, and guards the program as it is
refused() {
    rm -f prog.guarded
    "$snag" guard build --store "$1.store" --bias ./prog -o prog.guarded 2>log || fail "$1: $(cat log)"
    grep -q "$2" log || fail "$1, $2: $(cat log)"
    grep -q "compiled anew, so that" log && fail "$1, $2: it is compiled all the same: $(cat log)"
    [ "$(./prog.guarded)" = "$(./prog)" ] || fail "$1, $2: the result has changed"
}

for compiler in gcc clang; do
    command -v $compiler >/dev/null || continue
    export SNAG_CC=$compiler
    # one command
    "$snag" cc -O2 -g -o prog src/app.c src/hot.c src/extra.c -pthread || exit 1
    anew one.$compiler
    # objects, each compiled in a folder of its own; the link is in a third one; names with blanks
    (cd src && "$snag" cc -O2 -g -DNAME='"a b"' -MD -MF ../objects/hot.d -c hot.c -o "../objects/the hot.o" &&
        "$snag" cc -O2 -g -c app.c extra.c) || exit 1
    "$snag" cc -o prog src/app.o src/extra.o "objects/the hot.o" -pthread || exit 1
    cp objects/hot.d before.d
    anew objects.$compiler
    cmp -s before.d objects/hot.d || fail "objects.$compiler: the user's dependencies have changed"
    # an archive
    rm -f objects/libhot.a && ar rc objects/libhot.a "objects/the hot.o"
    "$snag" cc -o prog src/app.o src/extra.o -Lobjects -lhot -pthread || exit 1
    unset SNAG_CC # the program knows its compiler
    anew archive.$compiler
    last=$compiler
done

# what has changed since is not taken in
touch -d '1 hour' src/hot.h
refused archive.$last "hot.h has changed since"
touch -d '1 hour ago' src/hot.h
mv src/hot.c src/cold.c
refused archive.$last "hot.c"
mv src/cold.c src/hot.c
touch -d '1 hour' src/extra.o
refused archive.$last "extra.o has changed since"
touch -d '1 hour ago' src/extra.o
anew archive.$last
# a program that does not say how it was linked
objcopy -R .snag.cc prog other && mv other prog
refused archive.$last "does not say how it was linked"
# nothing is left out, so there is nothing to compile
"$snag" guard build --store archive.$last ./prog -o prog.guarded 2>log || fail "warm: $(cat log)"
grep -q "anew\|stay as they are" log && fail "warm: $(cat log)"

# What is guarded is inlined where nothing else is: compiled anew it stands in a function of its own, and has another
# name there.
mkdir -p inlined
cp src/hot.h src/app.c src/extra.c inlined
cat >inlined/hot.c <<'EOF'
#include "hot.h"
long grid[CELLS];
static int rounds, notes;
static void note(int by) { notes += by; } /* cold: guarded */
void relax(int from)
{
    for (int i = 1; i < CELLS - 1; i++)
        grid[i] = (grid[i - 1] + grid[i + 1] + from) / 2;
    note(from);
}
int next_round(void)
{
    note(1);
    return ++rounds;
}
EOF
for compiler in gcc clang; do
    command -v $compiler >/dev/null || continue
    SNAG_CC=$compiler "$snag" cc -O2 -g -o prog inlined/app.c inlined/hot.c inlined/extra.c -pthread || exit 1
    anew inlined.$compiler
    "$snag" guard build --store inlined.$compiler.store --anew ./prog -o prog.guarded 2>log || fail "$compiler: $(cat log)"
    [ "$(./prog.guarded)" = "$(./prog)" ] || fail "$compiler, --anew: the result has changed"
done

[ $failed -eq 0 ] || exit 1
echo "hot functions are compiled anew, and only then"
