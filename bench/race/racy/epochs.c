/*
 * One thread writes, and races with a thread that comes much later. In between, other threads read
 * the other half of the word between locks of their own, so that each read has a new time stamp.
 *
 * pairs: low-low_later mark-mark_later
 */
#include "hidden.h"

struct {
    _Alignas(8) uint32_t low;
    uint32_t high;
    _Alignas(8) uint16_t mark;
    uint16_t rest[3];
} word;
pthread_mutex_t own[4];
uint32_t sums[4];

static void write_low(void)
{
    word.low = 1;  /* [low] */
    word.mark = 1; /* [mark] */
}

#define VISITOR(n)                                                                                 \
    static void visit_##n(void)                                                                    \
    {                                                                                              \
        for (int i = 0; i < 20; i++) {                                                             \
            pthread_mutex_lock(&own[n]);                                                           \
            sums[n] += word.high + word.rest[0];                                                   \
            pthread_mutex_unlock(&own[n]);                                                         \
        }                                                                                          \
    }
VISITOR(0)
VISITOR(1)
VISITOR(2)
VISITOR(3)

static void write_later(void)
{
    word.low = 2;  /* [low_later] */
    word.mark = 2; /* [mark_later] */
}

int main(void)
{
    static const struct hidden_step steps[] = {{0, write_low}, {1, visit_0}, {2, visit_1},
                                               {3, visit_2},   {4, visit_3}, {5, write_later}};

    for (int i = 0; i < 4; i++)
        pthread_mutex_init(&own[i], NULL);
    HIDDEN_RUN(steps, 6);
    return word.low != 2;
}
