/*
 * Atomics that order nothing: publication through a relaxed flag, an atomic counter that is also
 * read as a plain one, and an acquire that no release answers.
 *
 * pairs: data-read_data count-plain other-read_other
 */
#include <stdatomic.h>
#include "hidden.h"

int data, other;
atomic_int flag, unpaired;
union {
    atomic_int atomic;
    int plain;
} counter;
int seen;

static void produce(void)
{
    data = 1; /* [data] */
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&counter.atomic, 1, memory_order_relaxed); /* [count] */
    other = 1;                                                           /* [other] */
    atomic_store_explicit(&unpaired, 1, memory_order_relaxed);
}

static void consume(void)
{
    if (atomic_load_explicit(&flag, memory_order_relaxed))
        seen += data;      /* [read_data] */
    seen += counter.plain; /* [plain] */
    if (atomic_load_explicit(&unpaired, memory_order_acquire))
        seen += other; /* [read_other] */
}

int main(void)
{
    static const struct hidden_step steps[] = {{0, produce}, {1, consume}};

    HIDDEN_RUN(steps, 2);
    return seen != 3;
}
