#!/bin/sh
# build_test.sh BUILD: programs that guard themselves: alone, with a library, by annotation, for one
# finding, with colours; without snag's folder; and that they never hang on their own locks.
. "$(dirname "$0")/lib.sh"

# every pattern of Table 1, one kernel each, and one whose write nobody waits for
for kernel in rr_w_mysql3596 wr_w_pigz ww_r_mysql791 rw_rw_apache21287 rrw_rrw_apache25520 \
    rw_rw_mozilla270689 w_r_transmission1660 r_w_pbzip2 w_w_mozilla_nspr; do
    "$snag" cc -O1 -g -pthread -o $kernel "$here/kernels/$kernel.c" || exit 1
    "$snag" learn --quiet --runs 14 ./$kernel >/dev/null 2>&1
    "$snag" guard build $patient ./$kernel -o $kernel.guarded 2>log || fail "$kernel: $(cat log)"
    shows ./$kernel bad || fail "$kernel: the bug does not show"
    prevented ./$kernel.guarded || fail "$kernel.guarded fails, or did not tell: $(cat violations)"
    ./$kernel.guarded || fail "$kernel.guarded fails in an ordinary run"
done
readelf -d $kernel.guarded | grep -E 'snag|tsan' && fail "it still needs snag"
strings -a $kernel.guarded >/dev/null

# without memory for the recorder it is not guarded, but runs
(ulimit -s 256 && ulimit -v 12000 && ./$kernel.guarded) || fail "$kernel.guarded fails without memory"

# the other thread may come, and end, at any time: a stall for it was not in vain
kernel=rrw_rrw_apache46215
"$snag" cc -O1 -g -pthread -o $kernel "$here/kernels/$kernel.c" || exit 1
"$snag" learn --quiet --runs 14 ./$kernel >/dev/null 2>&1
"$snag" guard build $patient ./$kernel -o $kernel.guarded 2>log || fail "$kernel: $(cat log)"
rm -f violations
for run in $(seq 200); do
    KERNEL_GAPS=1 SNAG_GUARD_LOG=$work/violations ./$kernel.guarded bad || fail "$kernel.guarded fails"
done
grep -q resolved violations || fail "$kernel.guarded did not tell"
grep -q "timed out" violations && fail "a stall of two seconds timed out: $(grep "timed out" violations)"

# training at full speed: what a guarded program saw that stalls nobody is taken in, what was prevented is not
kernel=ww_r_mysql791
"$snag" guard build --stall-ms 0 ./$kernel -o watch 2>log || fail "watch: $(cat log)"
for run in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    [ -s seen ] || SNAG_GUARD_LOG=$work/seen ./watch bad >/dev/null 2>&1
done
sed 's/timed out/resolved/' seen >not_seen
"$snag" guard --relax-log not_seen ./$kernel 2>log
grep -q " 0 new orders" log || fail "what was prevented is taken in: $(cat log)"
"$snag" guard --relax-log seen ./$kernel 2>log
grep -q " 0 new orders" log && fail "what was seen is not taken in: $(cat seen log)"
"$snag" guard --relax-log seen ./$kernel 2>log
grep -q " 0 new orders" log || fail "it was not stored: $(cat log)"

# more places than half a word of the recorder has room for: the other runtime (word.h), the same verdicts
{
    echo '#include "kernel.h"'
    echo 'static volatile int total, count[600];'
    echo 'static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;'
    echo 'static void bump(void) { pthread_mutex_lock(&lock);'
    for i in $(seq 0 599); do echo "count[$i]++;"; done
    echo 'pthread_mutex_unlock(&lock); }'
    echo 'static void one(void) { bump(); start(0); int v = total; gap(1500); total = v + 1; bump(); }'
    echo 'static void two(void) { bump(); start(1); int v = total; gap(1500); total = v + 1; bump(); }'
    echo 'static int is_correct(void) { return total == 2 && count[0] == 4 && count[599] == 4; }'
} >many.c
"$snag" cc -O1 -g -I"$here/kernels" -pthread -o many many.c || exit 1
"$snag" learn --quiet --runs 14 ./many 2>/dev/null
"$snag" guard build $patient ./many -o many.guarded 2>log || fail "many: $(cat log)"
[ "$(sed -n 's/.*: \([0-9]*\) accesses are guarded.*/\1/p' log)" -gt 1024 ] || fail "many: $(cat log)"
shows ./many bad || fail "many: the bug does not show"
prevented ./many.guarded || fail "many.guarded fails, or did not tell: $(cat violations)"

# a library of the program's own, guarded with it; the recorder is one
cat >lib.c <<'EOF'
volatile int total;
void add(int n, void (*pause)(void)) { int v = total; pause(); total = v + n; }
int get(void) { return total; }
EOF
cat >app.c <<'EOF'
#define KERNEL_OWN_MAIN
#include "kernel.h"
void add(int n, void (*pause)(void));
int get(void);
HIDDEN static void nap(void) { gap(1500); }
static void one(void) { start(0); add(1, nap); }
static void two(void) { start(1); add(1, nap); }
static int is_correct(void) { return get() == 2; }
int main(int argc, char **argv)
{
    pthread_t a, b;
    prepare(argc, argv);
    pthread_create(&a, 0, run_one, 0);
    pthread_create(&b, 0, run_two, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return !is_correct();
}
EOF
mkdir libs
"$snag" cc -O1 -g -fPIC -shared -o libs/libsum.so lib.c &&
    "$snag" cc -O1 -g -I"$here/kernels" -o app app.c -Llibs -lsum -pthread -Wl,-rpath,"$work/libs" ||
    exit 1
"$snag" learn --quiet --runs 14 ./app 2>/dev/null
"$snag" guard build $patient ./app -o app.guarded 2>log || fail "app: $(cat log)"
[ -f app.guarded.lib/libsum.so ] || fail "the library was not guarded"
shows ./app bad || fail "app: the bug does not show"
mkdir away && mv app.guarded app.guarded.lib away/ && mv libs elsewhere
./away/app.guarded bad || fail "app.guarded fails with its library"

# a plugin that is opened by its path; a library alone cannot be guarded
cat >host.c <<'EOF'
#define KERNEL_OWN_MAIN
#include <dlfcn.h>
#include "kernel.h"
static void (*add)(int n, void (*pause)(void));
HIDDEN static void nap(void) { gap(1500); }
static void one(void) { start(0); add(1, nap); }
static void two(void) { start(1); add(1, nap); }
static int is_correct(void) { return 1; }
int main(int argc, char **argv)
{
    pthread_t a, b;
    void *plugin = dlopen("./plugin.so", RTLD_NOW), *none = dlopen("./none.so", RTLD_NOW);
    int (*get)(void);
    if (!plugin || none || !is_correct())
        return 2;
    *(void **)&add = dlsym(plugin, "add");
    *(void **)&get = dlsym(plugin, "get");
    prepare(argc, argv);
    pthread_create(&a, 0, run_one, 0);
    pthread_create(&b, 0, run_two, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return get() != 2;
}
EOF
"$snag" cc -O1 -g -fPIC -shared -o plugin.so lib.c &&
    "$snag" cc -O1 -g -I"$here/kernels" -o host host.c -pthread -ldl || exit 1
"$snag" learn --quiet --runs 14 ./host 2>/dev/null
"$snag" guard build $patient ./host -o host.guarded 2>log || fail "host: $(cat log)"
shows ./host bad || fail "host: the bug does not show"
prevented ./host.guarded || fail "host.guarded fails with its plugin, or did not tell"
grep -q "^plugin.so!add" violations || fail "the plugin is not guarded: $(cat violations)"
mv plugin.so hidden.so
./host.guarded
[ $? -eq 2 ] || fail "a plugin that is gone is opened all the same"
"$snag" guard build ./hidden.so -o alone.so 2>log && fail "a library is guarded alone"
grep -q "is a library" log || fail "a library alone: $(cat log)"

# condition variables are those of libc that the program was made for
cat >cond.c <<'EOF'
#include <pthread.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c;
static volatile int ready;
static void *wake(void *p)
{
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    return p;
}
int main(void)
{
    pthread_t t;
    pthread_condattr_t a;
    struct timespec limit;
    pthread_condattr_init(&a);
    pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
    pthread_cond_init(&c, &a);
    pthread_create(&t, 0, wake, 0);
    pthread_mutex_lock(&m);
    clock_gettime(CLOCK_MONOTONIC, &limit);
    limit.tv_sec += 100;
    while (!ready)
        if (pthread_cond_timedwait(&c, &m, &limit))
            return 1;
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    return 0;
}
EOF
"$snag" cc -O1 -g -o cond cond.c -pthread && "$snag" learn --quiet --runs 5 ./cond 2>/dev/null
"$snag" guard build ./cond -o cond.guarded 2>log || fail "cond: $(cat log)"
timeout 60 ./cond.guarded || fail "cond.guarded fails"
readelf -sW --dyn-syms cond.guarded 2>/dev/null | grep -q "pthread_cond_timedwait@GLIBC_2.3.2" ||
    fail "the version of pthread_cond_timedwait is lost"

# what everybody reads and nobody writes is left alone; what is written before it is read is still waited for
cat >calm.c <<'EOF'
#include "kernel.h"
static volatile int level, limit, sum;
static int add(int n) { return level + n; }
static void one(void) { usually_later(); sum += limit + add(1); }
static void two(void) { usually_first(); limit = add(2); }
static int is_correct(void) { return sum == 3; }
EOF
"$snag" cc -O1 -g -I"$here/kernels" -o calm calm.c -pthread || exit 1
"$snag" learn --quiet --runs 20 ./calm >/dev/null 2>&1
"$snag" guard build ./none -o none.guarded 2>log && fail "a program that is not there was built"
grep -q "none cannot be read: No such file" log || fail "a missing program is not named: $(cat log)"
mkdir cut && head -c 100 .snag/snag.db >cut/snag.db
"$snag" guard build --store cut ./calm -o none.guarded 2>log && fail "built without what was learned: $(cat log)"
grep -q "damaged" log || fail "a damaged store is not named: $(cat log)"
"$snag" guard build --all ./calm -o calm.all 2>log.all || fail "calm, all: $(cat log.all)"
"$snag" guard build $patient ./calm -o calm.guarded 2>log || fail "calm: $(cat log)"
grep -q " 6 accesses are guarded" log.all || fail "calm: not level, limit and sum: $(cat log.all)"
grep -q " 4 accesses are guarded" log || fail "calm: not limit and sum: $(cat log)"
shows ./calm bad || fail "calm: the bug does not show"
prevented ./calm.guarded || fail "calm.guarded fails, or did not tell: $(cat violations)"
./calm.guarded || fail "calm.guarded fails in an ordinary run"

# without symbols, and strip(1) has nothing to break
"$snag" guard build $patient --strip ./calm -o calm.stripped 2>log || fail "strip: $(cat log)"
[ "$(nm calm.stripped 2>/dev/null | wc -l)" = 0 ] || fail "symbols are left"
strip calm.stripped 2>/dev/null
prevented ./calm.stripped || fail "calm.stripped fails, or did not tell: $(cat violations)"

# one finding only; only what is annotated; the groups
id=
for run in 1 2 3 4 5 6 7 8 9 10; do
    [ "$id" ] || id=$("$snag" guard $patient --json - ./rr_w_mysql3596 bad 2>/dev/null |
        sed -n 's/.*"id": *\([0-9]*\).*/\1/p' | head -n 1)
done
"$snag" guard build $patient --patch "$id" ./rr_w_mysql3596 -o patched 2>log || fail "patch: $(cat log)"
./patched bad || fail "the patched program fails"
cat >marked.c <<'EOF'
#include "kernel.h"
#include <snag.h>
static volatile int a, b, c;
static void bump(volatile int *p)
{
    int v = *p;
    gap(500);
    *p = v + 1;
}
static void whole(void) { SNAG_INS_THIS_FUNC(); int v = a; gap(500); a = v + 1; }
static void part(void)
{
    int v = c;
    gap(500);
    {
        SNAG_INS_THIS_BLOCK();
        c = v + 1;
    }
}
static void both(void) { whole(); bump(&b); part(); }
static void one(void) { start(0); both(); }
static void two(void) { SNAG_INS_THIS_ADDR(&b); start(1); both(); }
static int is_correct(void) { return 1; }
EOF
"$snag" cc -O0 -g -I"$here/kernels" -o marked marked.c -pthread || exit 1
"$snag" learn --quiet --runs 14 ./marked 2>/dev/null
"$snag" guard build --annotated ./marked -o marked.guarded 2>log || fail "annotated: $(cat log)"
# a: read and write; b: read and write in bump(); c: the write in the block
grep -q " 5 accesses are guarded" log || fail "not what was annotated: $(cat log)"
"$snag" guard build --groups ./marked -o marked.guarded 2>log >groups || fail "groups: $(cat log)"
grep -q " places" groups || fail "no groups: $(cat groups)"

# more places than a small word of the recorder can tell apart
{
    echo '#include "kernel.h"'
    awk 'BEGIN { for (i = 0; i < 600; i++)
        printf "static volatile int v%d;\n__attribute__((noinline)) static void f%d(void) { v%d++; }\n", i, i, i }'
    echo 'static volatile int count;'
    echo 'static void many(void) { pthread_mutex_lock(&kernel_lock);'
    awk 'BEGIN { for (i = 0; i < 600; i++) printf "f%d();%s", i, i % 20 == 19 ? "\n" : " " }'
    echo 'pthread_mutex_unlock(&kernel_lock); }'
    echo 'static void bump(void) { int v = count; gap(1500); count = v + 1; }'
    echo 'static void one(void) { start(0); bump(); many(); }'
    echo 'static void two(void) { start(600); bump(); many(); }'
    echo 'static int is_correct(void) { return count == 2; }'
} >many.c
"$snag" cc -O1 -g -I"$here/kernels" -o many many.c -pthread || exit 1
"$snag" learn --quiet --runs 14 ./many >/dev/null 2>&1
"$snag" guard build $patient ./many -o many.guarded 2>log || fail "many: $(cat log)"
grep -q " 1[12][0-9][0-9] accesses are guarded" log || fail "many: not all are guarded: $(cat log)"
shows ./many bad || fail "many: the bug does not show"
prevented ./many.guarded || fail "many.guarded fails, or did not tell: $(cat violations)"

# two variables of one colour: a bug that neither shows alone. Correct runs in which the two mix (one, two,
# one, two and two, one, two, one) would together allow one, two, two, one: they must teach nothing.
cat >colour.c <<'EOF'
#define SETUP (SNAG_COLOUR(1, &low, sizeof low), SNAG_COLOUR(1, &high, sizeof high), choose())
#include <snag.h>
#ifdef CHOSEN
#define choose() SNAG_INS_THIS_ADDR(&low)
#else
#define choose() (void)0
#endif
static volatile int low __attribute__((aligned(64))) = 1, high __attribute__((aligned(64))) = 1;
#include "kernel.h"
static volatile int differ;
static int inside, mixed;
HIDDEN static void enter(void) { if (__atomic_fetch_add(&inside, 1, __ATOMIC_SEQ_CST)) mixed = 1; }
HIDDEN static void leave(void) { __atomic_fetch_sub(&inside, 1, __ATOMIC_SEQ_CST); }
static void one(void) { start(0); enter(); low = 2; gap(1500); high = 2; leave(); }
static void two(void) { start(1); enter(); int l = low, h = high; leave(); differ = l != h; }
HIDDEN static int is_usable(void) { return kernel_bad || !mixed; }
static int is_correct(void) { return !differ && is_usable(); }
EOF
"$snag" cc -O1 -g -I"$here/kernels" -o colour colour.c -pthread || exit 1
"$snag" learn --quiet --runs 20 ./colour >/dev/null 2>&1
shows ./colour bad || fail "colour: the bug does not show"
"$snag" guard $patient --quiet --json colour.json ./colour bad >/dev/null 2>&1
[ "$(number exit colour.json)" = 0 ] || fail "colour: fails under the guard"
"$snag" guard build $patient ./colour -o colour.guarded 2>log
./colour.guarded bad || fail "colour.guarded fails"
# one of them names the other: both are written once and read once (who came first in all runs, and was
# followed at once by its own thread, needs no guard)
"$snag" cc -O1 -g -DCHOSEN -I"$here/kernels" -o chosen colour.c -pthread || exit 1
"$snag" learn --quiet --runs 10 ./chosen >/dev/null 2>&1
"$snag" guard build --annotated ./chosen -o chosen.guarded 2>log || fail "chosen: $(cat log)"
grep -q " [34] accesses are guarded" log || fail "not what the colour names: $(cat log)"

# hot functions without instrumentation: what was learned about the others still holds
cat >hot.c <<'EOF'
#include <pthread.h>
#include <stdio.h>
static double grid[512];
static int rounds = 20;
static volatile int ready;
static double twice(double x) { return 2 * x; }
static void relax(double *g) { for (int i = 0; i < 512; i++) g[i] = twice(g[i]) / 2.5 + 1; }
static void *work(void *p)
{
    for (int i = 0; i < rounds; i++)
        relax(grid);
    ready = 1;
    return p;
}
int main(void)
{
    pthread_t t;
    grid[0] = 1;
    relax(grid);
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    relax(grid);
    printf("%.9f %d\n", grid[3], ready);
    return 0;
}
EOF
for compiler in gcc clang; do
    command -v $compiler >/dev/null || continue
    export SNAG_CC=$compiler
    "$snag" cc -O2 -g -o hot hot.c -pthread && "$snag" learn --store hot.$compiler --quiet --runs 3 ./hot >/dev/null 2>&1
    "$snag" guard build --store hot.$compiler --bias --hot hot.list ./hot -o hot.cold 2>log || fail "hot: $(cat log)"
    grep -qx "fun:relax" hot.list || fail "$compiler: relax() is not in the list: $(cat hot.list)"
    grep -qx "fun:twice" hot.list || fail "$compiler: twice() is not in the list: $(cat hot.list)"
    grep -qx "fun:main" hot.list && fail "$compiler: main() is guarded, and in the list"
    "$snag" cc -O2 -g -fsanitize-ignorelist=hot.list -o hot hot.c -pthread || fail "$compiler: the list is not taken"
    "$snag" guard build --store hot.$compiler --bias ./hot -o hot.guarded 2>log || fail "hot: $(cat log)"
    grep -q " 0 accesses are guarded" log && fail "$compiler: nothing is guarded any more: $(cat log)"
    [ "$(./hot.guarded)" = "$(./hot.cold)" ] || fail "$compiler: the result has changed"
done
unset SNAG_CC

# a program that tells sanitizers of its own system calls
"$snag" cc -DFIXED -g -O1 -o told "$here/../race/libc/raw_syscall.c" -pthread &&
    "$snag" learn --store told.store --quiet --runs 3 ./told >/dev/null 2>&1
"$snag" guard build --store told.store ./told -o told.guarded 2>log || fail "told: $(cat log)"
[ "$(./told.guarded)" = 42 ] || fail "a guarded program misses the functions of sanitizers"

# C++ with clang, when it is there
if command -v clang++ >/dev/null; then
    cat >cxx.cc <<'EOF'
#include <atomic>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>
std::atomic<int> n;
struct Shape { virtual ~Shape() {} virtual int area() { return 1; } };
struct Square : Shape { int area() override { return 4; } };
int main()
{
    std::vector<std::thread> all;
    Shape *s = new Square;
    for (int i = 0; i < 4; i++)
        all.emplace_back([&] { std::string t(100, 'x'); n += s->area() + (int)t.size(); });
    for (auto &t : all)
        t.join();
    delete s;
    return n != 416;
}
EOF
    SNAG_CXX=clang++ "$snag" c++ -O1 -g -o cxx cxx.cc -pthread && "$snag" learn --quiet --runs 4 ./cxx 2>/dev/null
    "$snag" guard build ./cxx -o cxx.guarded 2>log || fail "cxx: $(cat log)"
    ./cxx.guarded || fail "cxx.guarded fails"
fi

# what cannot be rewritten is refused
printf 'int main(void) { return 0; }\n' >plain.c && cc -o plain plain.c
"$snag" guard build ./plain -o plain.guarded 2>log && fail "a program without relocations was taken"

# a damaged file: tables whose entries have no size
cp ./calm damaged && python3 - damaged <<'EOF'
import struct, sys
with open(sys.argv[1], "r+b") as file:
    head = file.read(64)
    start, size, count = struct.unpack_from("<Q", head, 40)[0], *struct.unpack_from("<HH", head, 58)
    for i in range(count):
        file.seek(start + i * size + 4)
        if struct.unpack("<I", file.read(4))[0] in (2, 4, 11):  # symbols, relocations, dynamic symbols
            file.seek(start + i * size + 56)
            file.write(bytes(8))
EOF
"$snag" guard build ./damaged -o damaged.guarded >log 2>&1
[ $? -lt 128 ] || fail "a damaged file: $(cat log)"
[ $failed = 0 ]
