// Threads read the members of many structs, and each writes its own, in rounds. Then one writes a member, ends and is
// joined; another reads on, which knows of the join or does not.
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global table
// PEER: tsan may-miss: its four accesses of eight bytes are other readers' by then
#include "invisible.h"

enum { STRUCTS = 200, READERS = 3, ROUNDS = 6, LAST = STRUCTS - 1 };

static struct {
    int pair[2];
    char eight[8];
} table[STRUCTS];
static pthread_barrier_t round_barrier, told;
static int sums[READERS];

static int __attribute__((noinline)) read_all(void)
{
    int sum = 0;
    for (int i = 0; i < STRUCTS; i++) {
        for (int j = 0; j < 2; j++)
            sum += table[i].pair[j];
        for (int j = 0; j < 8; j++)
            sum += table[i].eight[j]; // RACE2
    }
    return sum;
}

static void __attribute__((noinline)) write_own(int self, int value)
{
    for (int i = 0; i < STRUCTS; i++)
        for (int j = 0; j < 8; j++)
            if ((i + j) % READERS == self)
                table[i].eight[j] = (char)value;
}

static void rounds(int self)
{
    for (int n = 0; n < ROUNDS; n++) {
        sums[self] += read_all();
        pthread_barrier_wait(&round_barrier);
        write_own(self, n);
        pthread_barrier_wait(&round_barrier);
    }
}

static void *writer(void *unused)
{
    (void)unused;
    rounds(0);
    sums[0] += read_all();
    hidden_post(0);
    hidden_wait_times(1, READERS - 1); /* they have begun their epochs, and know nothing of this */
    table[LAST].eight[5] = 1; // RACE1
    return NULL;
}

static void *reader(void *arg)
{
    int self = *(int *)arg;
    rounds(self);
    hidden_wait(0);
    hidden_post(1);
    BUG(hidden_wait(2);)
    FIX(pthread_barrier_wait(&told);)
    sums[self] += read_all();
    return NULL;
}

int main(void)
{
    static int self[READERS] = {0, 1, 2};
    pthread_t thread[READERS];
    pthread_barrier_init(&round_barrier, NULL, READERS);
    pthread_barrier_init(&told, NULL, READERS);
    for (int i = 0; i < READERS; i++)
        pthread_create(&thread[i], NULL, i ? reader : writer, &self[i]);
    pthread_join(thread[0], NULL);
    BUG(hidden_post(2);)
    FIX(pthread_barrier_wait(&told);)
    for (int i = 1; i < READERS; i++)
        pthread_join(thread[i], NULL);
    return sums[1] == sums[2] ? 0 : 1;
}
