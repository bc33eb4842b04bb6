# When epochs are used up they are numbered anew: said in the report, no false alarm, and races are found as before.
. "$(dirname "$0")/lib.sh"
cat >long.c <<'EOF'
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
enum { WORKERS = 4, ROUNDS = 20000, LOCKS = 4 };
static struct {
    pthread_mutex_t lock;
    long data[16];
} part[LOCKS];
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static long table[8], under_ticket;
static _Atomic long ticket, serving;
static int pipe_ends[2];
static pthread_barrier_t end;
int unlocked;
static void *add_one(void *arg)
{
    ++*(long *)arg;
    return NULL;
}
/* Blocked in a real call all the time, with an access before and after. */
static void *sleeper(void *arg)
{
    char byte = 0;
    *(long *)arg = 1;
    if (read(pipe_ends[0], &byte, 1) != 1)
        abort();
    *(long *)arg = 2;
    return NULL;
}
static void use_locks(long i, long id)
{
    int k = (int)(i * 7 + id) % LOCKS;
    pthread_mutex_lock(&part[k].lock);
    for (int j = 0; j < 16; j++)
        part[k].data[j] += j;
    pthread_mutex_unlock(&part[k].lock);
    if (i % 8 == 0) {
        pthread_rwlock_wrlock(&shared);
        table[i / 8 % 8]++;
    } else {
        pthread_rwlock_rdlock(&shared);
        if (table[i % 8] < 0)
            abort();
    }
    pthread_rwlock_unlock(&shared);
}
static void use_ticket(void)
{
    long mine = atomic_fetch_add_explicit(&ticket, 1, memory_order_relaxed);
    while (atomic_load_explicit(&serving, memory_order_acquire) != mine)
        sched_yield();
    under_ticket++;
    atomic_store_explicit(&serving, mine + 1, memory_order_release);
}
static void use_thread(void)
{
    pthread_t t;
    long *p = malloc(sizeof *p);
    *p = 1;
    pthread_create(&t, NULL, add_one, p);
    pthread_join(t, NULL);
    if (*p != 2)
        abort();
    free(p);
}
static void *worker(void *arg)
{
    for (long i = 0; i < ROUNDS; i++) {
        use_locks(i, (long)arg);
        if (i % 4 == 0)
            use_ticket();
        if (i % 200 == 0)
            use_thread();
    }
    pthread_barrier_wait(&end);
#ifdef RACE
    unlocked++; /* of four threads two are on the same side of a renewal, whenever it comes */
#endif
    return NULL;
}
int main(void)
{
    pthread_t t[WORKERS], s;
    long value, sum = 0;
    if (pipe(pipe_ends))
        abort();
    for (int i = 0; i < LOCKS; i++)
        pthread_mutex_init(&part[i].lock, NULL);
    pthread_barrier_init(&end, NULL, WORKERS);
    pthread_create(&s, NULL, sleeper, &value);
    for (long i = 0; i < WORKERS; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(t[i], NULL);
    if (write(pipe_ends[1], "", 1) != 1)
        abort();
    pthread_join(s, NULL);
    for (int i = 0; i < LOCKS; i++)
        for (int j = 0; j < 16; j++)
            sum += part[i].data[j];
    printf("%ld %ld\n", sum, under_ticket + value);
    return 0;
}
EOF
"$SNAG" cc -g -O1 -pthread -o correct long.c
"$SNAG" cc -g -O1 -pthread -DRACE -o racy long.c
renewals() { sed -n 's/^snag: lost_epoch: //p' "$err"; }

expect 0 "$SNAG" race --no-store --stats ./correct
prints '^9600000 20002$'
[ "$(renewals)" = 0 ] || fail "epochs were used up without --epochs"

for epochs in 2000 20000; do
    expect 0 "$SNAG" race --no-store --stats --epochs $epochs ./correct
    prints '^9600000 20002$'
    [ "$(renewals)" -gt 0 ] || fail "epochs were not used up"
    says 'epochs used up'
done

expect 66 "$SNAG" race --no-store --stats --epochs 20000 ./racy
prints '^9600000 20002$'
says 'data race on `unlocked`'
[ "$(renewals)" -gt 0 ] || fail "epochs were not used up"
