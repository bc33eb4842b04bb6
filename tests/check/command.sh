# command.sh BUILD HERE: the command line of snag check. Run by run.sh in an empty folder.
. "$2/../cli/lib.sh"
check="$SNAG check --no-store"

cat >race.c <<'END'
#include <pthread.h>
int n;
static void *work(void *arg)
{
    n++;
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
#ifndef FIXED
    n++;
#endif
    pthread_join(t, 0);
    return n;
}
END

# Statuses, and flags behind --.
expect 66 $check race.c
says 'data race on `n` between main() and work() (predicted)'
says 'thread 1 was created by the main thread'
expect 0 $check race.c -- -DFIXED
says 'within the bounds no race exists'
expect 9 $check --exitcode 9 race.c
expect 125 $check
says 'nothing to check'
expect 125 $check nowhere.c
says 'there is no such file'
expect 125 $check --entry nothing race.c
says 'no function nothing'
expect 0 "$SNAG" help check

# JSON on stdout, the store, suppressions.
expect 66 $check --quiet --json - race.c
prints '"engine": "check"'
prints '"status": "predicted"'
silent
expect 66 "$SNAG" check --store s --quiet race.c
expect 66 "$SNAG" list --store s
prints 'data race on `n`'
echo 'race:work' >hide
expect 0 $check --suppressions hide race.c
says 'left out by hide'

# The same seed gives the same findings, another one may.
for seed in 1 1 7; do
    try $check --quiet --seed $seed --json seed.$seed.json race.c
    python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(d["findings"], d["stats"]["steps"])' \
        seed.$seed.json >>seeds.$seed
done
[ "$(sort -u seeds.1 | wc -l)" = 1 ] || fail "one seed, two results"

# Bounds are respected.
expect 66 $check --steps 2000 --steps-per-run 500 --heap 4096 --stats race.c
expect 0 $check --dump race.c
prints 'PTHREAD\|pthread_create'
prints 'race.c:5'

# Code that does not compile is a message, and the rest is still checked.
echo 'int broken(void) { return nothing; }' >broken.c
expect 66 $check race.c broken.c
says 'broken.c does not compile'
says 'data race on `n`'
expect 125 $check broken.c
says 'does not compile'

# A project: two programs and what they share.
mkdir -p proj
cat >proj/shared.c <<'END'
int counter;
void add(int n) { counter += n; }
END
cat >proj/one.c <<'END'
#include <pthread.h>
extern void add(int);
static void *work(void *arg) { add(1); return arg; }
int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); add(2); pthread_join(t, 0); return 0; }
END
cat >proj/two.c <<'END'
extern void add(int);
int main(void) { add(VALUE); return 0; }
END
cat >proj/compile_commands.json <<END
[ { "directory": "$PWD/proj", "file": "one.c", "command": "gcc -O2 -Wall -c one.c -o one.o" },
  { "directory": "$PWD/proj", "file": "two.c", "arguments": ["cc", "-DVALUE=3", "-c", "two.c", "-o", "two.o"] },
  { "directory": "$PWD/proj", "file": "shared.c", "command": "gcc -fno-tree-loop-im -c shared.c -o shared.o" } ]
END
expect 66 $check -p proj
says 'data race on `counter` in add()'
expect 125 $check -p nowhere
says 'compile_commands.json cannot be read'
echo '{' >proj/compile_commands.json
expect 125 $check -p proj

# A library: its exported functions are called; nothing is sure then.
cat >lib.c <<'END'
#include <pthread.h>
static int state;
static void *work(void *arg) { state++; return arg; }
void start(void) { pthread_t t; pthread_create(&t, 0, work, 0); pthread_detach(t); }
int get(void) { return state; }
END
try $check --candidates lib.c
says 'data race on `state`'
# In the middle: main needs an input that nobody invents; the function that starts threads is tried itself.
cat >middle.c <<'END'
#include <pthread.h>
#include <string.h>
#include <stdio.h>
struct pool { int jobs; };
static void *work(void *arg) { ((struct pool *)arg)->jobs++; return 0; }
static int start(struct pool *p)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, work, p);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    return p->jobs;
}
int main(int argc, char **argv)
{
    static struct pool p;
    if (argc < 9 || strcmp(argv[8], "a password that nobody guesses")) return 1;
    return start(&p);
}
END
expect 0 $check --candidates middle.c
says 'data race'
says 'work()'
says 'in the middle of the program'
expect 0 $check --candidates --entry start middle.c
says 'data race'

# A clang of another version, or none.
expect 125 env SNAG_CLANG=/nowhere/clang $check race.c
says 'SNAG_CLANG'
