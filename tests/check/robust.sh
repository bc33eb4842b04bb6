# robust.sh BUILD HERE: input that must neither break nor hang the static check. Each within a minute, and
# below 500 MB. Run by run.sh in an empty folder.
. "$2/../cli/lib.sh"
check="timeout 60 $SNAG check --no-store --quiet"

# survives FILE [FLAGS]: an answer, whichever.
survives() {
    file=$1
    shift
    try $check "$file" -- "$@"
    case $status in
    0 | 66 | 125) ;;
    *) fail "$file: status $status" ;;
    esac
    ! grep -q 'ended by signal' "$err" || fail "$file: the checker crashed"
}

cat >threads.c <<'END'
#include <pthread.h>
int n;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *work(void *p) { pthread_mutex_lock(&m); n++; pthread_mutex_unlock(&m); return p; }
int main(void)
{
    pthread_t t[500];
    for (int i = 0; i < 500; i++) pthread_create(&t[i], 0, work, 0);
    for (int i = 0; i < 500; i++) pthread_join(t[i], 0);
    return n;
}
END
expect 0 $check threads.c
cat >more.c <<'END'
#include <pthread.h>
void *work(void *p) { pthread_t t; for (;;) pthread_create(&t, 0, work, 0); return p; }
int main(void) { work(0); }
END
survives more.c
cat >huge.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static char big[300000000];
static int more[200000000];
int n;
void *work(void *p)
{
    char local[3000000], *block = malloc(1000000);
    memset(local, 1, sizeof local);
    memset(block, 1, 1000000);
    big[299999999] = 1;
    more[5]++;
    n++;
    return p;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    n++;
    memset(big, 1, sizeof big);
    free(malloc(-1));
    return 0;
}
END
expect 66 $check huge.c
cat >deep.c <<'END'
#include <pthread.h>
int n;
int down(int k) { char b[100]; b[k % 100] = (char)k; return down(k + 1) + b[0]; }
void *work(void *p) { n++; down(0); return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); n++; return down(0); }
END
expect 66 $check deep.c
cat >endless.c <<'END'
#include <pthread.h>
int n;
void *work(void *p) { for (;;) n++; return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); for (;;) if (n > 5) n = 0; }
END
expect 66 $check endless.c
cat >silent.c <<'END'
int main(void) { for (;;); }
END
expect 0 $check silent.c
cat >asm.c <<'END'
#include <pthread.h>
int n;
void *work(void *p) { __asm__ volatile("nop" ::: "memory"); __asm__("incl %0" : "+m"(n)); return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); work(0); __asm__ goto("jmp %l0" : : : : out); out: return n; }
END
survives asm.c
cat >odd.c <<'END'
typedef int v8 __attribute__((vector_size(32)));
typedef _Bool b1;
struct empty {};
extern int unknown(), data[];
struct empty e;
int take(struct empty x, ...) { (void)x; return 0; }
v8 f(v8 a, int i) { a[i] = 1; return a * a; }
int main(int argc, char **argv)
{
    int *p = (int *)(long)argc, *q = 0;
    _Complex double c = 1.0;
    unsigned _BitInt(77) wide = 5;
    wide *= wide + (unsigned)argc;
    void *l[] = {&&a, &&b};
    goto *l[argc % 2];
a:
    return unknown(1, 2.0, argv) + data[argc] + *p + take(e, e, 1);
b:
    return (int)__real__ (c / argc) + (q == p) + (int)wide + f((v8){0}, argc)[3] + 5 / (argc - 1);
}
END
survives odd.c
echo 'void f(int, ...); int main(void) { f(1); return ((int (*)(void))0)(); }' >null.c
survives null.c
printf 'garbage' >garbage.bc
expect 125 $check garbage.bc
printf 'define i32 @main() { ret i32 %%x }' >garbage.ll
expect 125 $check garbage.ll
: >empty.c
expect 0 $check empty.c
if command -v clang++ >/dev/null; then
    cat >cxx.cc <<'END'
#include <condition_variable>
#include <iostream>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
struct base { virtual ~base() {} virtual int get() const { return 1; } };
struct derived : base { int get() const override { throw std::runtime_error("x"); } };
int n;
std::mutex m;
int main()
{
    std::vector<std::thread> v;
    std::map<std::string, int> names;
    for (int i = 0; i < 3; i++)
        v.emplace_back([&] { std::lock_guard<std::mutex> g(m); names["a"] = ++n; });
    for (auto &t : v)
        t.join();
    base *b = new derived;
    try { b->get(); } catch (const std::exception &e) { std::cout << e.what(); }
    delete b;
    return names.size() == 1 ? 0 : n;
}
END
    survives cxx.cc
fi
# Memory stays below 500 MB.
for f in huge.c threads.c deep.c; do
    try /usr/bin/env python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], stderr=subprocess.DEVNULL)
sys.exit(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss > 500000)' $check $f
    [ "$status" = 0 ] || fail "$f needs more than 500 MB"
done
