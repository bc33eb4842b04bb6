# --contracts: what a library of the user's own orders, which is not instrumented.
. "$(dirname "$0")/lib.sh"
cat >lib.c <<'END'
/* A lock of atomics, a queue of one place, and a worker that calls back. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

struct spin { atomic_int word; };
static _Atomic(void *) place;
struct work { void (*run)(void *); void *data; };

void spin_lock(struct spin *s)
{
    while (atomic_exchange(&s->word, 1))
        sched_yield();
}
int spin_try(struct spin *s) { return !atomic_exchange(&s->word, 1); }
void spin_unlock(struct spin *s) { atomic_store(&s->word, 0); }
void box_put(void *item)
{
    void *none = 0;
    while (!atomic_compare_exchange_weak(&place, &none, item))
        none = 0, sched_yield();
}
void *box_get(void)
{
    void *item;
    while (!(item = atomic_exchange(&place, 0)))
        sched_yield();
    return item;
}
static _Atomic(void *) asked;
static atomic_int told;
static void *work(void *arg)
{
    struct work *w;
    while (!(w = atomic_load(&asked)))
        sched_yield();
    w->run(w->data);
    atomic_store(&told, 1);
    return arg;
}
void worker_start(void) { pthread_t t; pthread_create(&t, 0, work, 0); pthread_detach(t); }
void worker_call(void (*run)(void *), void *data)
{
    static struct work w;
    w.run = run, w.data = data;
    atomic_store(&asked, &w);
}
void worker_wait(void)
{
    while (!atomic_load(&told))
        sched_yield();
}
END
cat >prog.c <<'END'
#include <pthread.h>
#include <stdlib.h>
struct spin { int word; };
void spin_lock(struct spin *), spin_unlock(struct spin *), box_put(void *), worker_start(void);
int spin_try(struct spin *);
void *box_get(void);
void worker_call(void (*)(void *), void *), worker_wait(void);
static struct spin lock;
static int count, box = 3, result;

static void *use(void *arg)
{
    for (int i = 0; i < 100; i++) {
#ifdef TRY
        while (!spin_try(&lock))
            ;
#else
        spin_lock(&lock);
#endif
        count++;
        spin_unlock(&lock);
    }
    int *item = malloc(sizeof *item);
    *item = 5;
    box_put(item);
    return arg;
}

static void run(void *data) { result = *(int *)data; }

int main(void)
{
    pthread_t t;
    worker_start();
    pthread_create(&t, 0, use, 0);
    for (int i = 0; i < 100; i++) {
#ifndef BUG
        spin_lock(&lock);
#endif
        count++;
#ifndef BUG
        spin_unlock(&lock);
#endif
    }
    int *item = box_get();
    box = *item + 1;
    free(item);
    worker_call(run, &box);
    worker_wait();
    pthread_join(t, 0);
    return result != 6;
}
END
cat >mine.contract <<'END'
library mine
soname libmine.so
type spin
key item call
state done
lock spin 1: spin_lock
lock spin 1 try if result != 0: spin_try
unlock spin 1: spin_unlock
send item 1: box_put
receive item result: box_get
callback work 1: worker_call
release call 1,2: worker_call
acquire call self,1: @work
release done: @work
acquire done: worker_wait
END
expect 0 gcc -O1 -shared -fPIC -pthread -Wl,-soname,libmine.so -o libmine.so lib.c
export LD_LIBRARY_PATH="$PWD"
for SNAG_CC in $(two_compilers); do
    export SNAG_CC
    expect 0 "$SNAG" cc -g -O1 -pthread -o prog prog.c -L. -lmine
    expect 0 "$SNAG" cc -g -O1 -pthread -DTRY -o tries prog.c -L. -lmine
    expect 0 "$SNAG" cc -g -O1 -pthread -DBUG -o bug prog.c -L. -lmine
    expect 66 "$SNAG" race --no-store ./prog # nothing is known of the library
    expect 0 "$SNAG" race --no-store --contracts mine.contract ./prog
    expect 0 "$SNAG" race --no-store --contracts mine.contract ./tries
    expect 66 "$SNAG" race --no-store --contracts mine.contract ./bug
    says '`count`'
    says 'holding lock'
    expect 0 "$SNAG" predict --no-store --contracts mine.contract ./prog
    expect 0 "$SNAG" fuzz --no-store --schedules 3 --contracts mine.contract ./prog
done
expect 0 "$SNAG" contracts check mine.contract
expect 0 "$SNAG" contracts list
grep -q "Abseil" "$out" || fail "what orders is not listed"
printf 'library mine\nlock it\n' >bad.contract
expect 125 "$SNAG" race --no-store --contracts bad.contract ./prog
says "bad.contract:2"
