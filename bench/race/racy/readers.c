/*
 * Two unguarded readers, then ten that read under a lock, then a writer that holds the lock: it is
 * ordered with the ten, not with the two. Four cells per word remember only some of the readers.
 *
 * pairs: early-write late-write
 */
#include "hidden.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
long value;
long sums[12];

static void read_early(void)
{
    sums[0] = value; /* [early] */
}

static void read_late(void)
{
    sums[1] = value; /* [late] */
}

#define READER(n)                                                                                  \
    static void read_##n(void)                                                                     \
    {                                                                                              \
        pthread_mutex_lock(&lock);                                                                 \
        sums[n] = value;                                                                           \
        pthread_mutex_unlock(&lock);                                                               \
    }
READER(2)
READER(3)
READER(4)
READER(5)
READER(6)
READER(7)
READER(8)
READER(9)
READER(10)
READER(11)

static void write_value(void)
{
    pthread_mutex_lock(&lock);
    value = 1; /* [write] */
    pthread_mutex_unlock(&lock);
}

int main(void)
{
    static const struct hidden_step steps[] = {
        {0, read_early}, {1, read_late}, {2, read_2},      {3, read_3}, {4, read_4},
        {5, read_5},     {6, read_6},    {7, read_7},      {8, read_8}, {9, read_9},
        {10, read_10},   {11, read_11},  {12, write_value}};

    HIDDEN_RUN(steps, 13);
    return value != 1;
}
