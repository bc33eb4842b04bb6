/*
 * Deep call chains and many small functions: a recursion SCALE deep that works on its way down and
 * up, and a small evaluator whose steps are functions of a line or two.
 */
#include "work.h"

#define ROUNDS 24

#define NOINLINE __attribute__((noinline))

struct machine {
    uint64_t stack[64];
    unsigned depth;
    uint64_t steps;
};

static unsigned long scale;
static uint64_t sums[WORK_THREADS_MAX];

static NOINLINE uint64_t descend(unsigned long level, uint64_t *trail)
{
    uint64_t below;

    if (level == 0)
        return 1;
    trail[level % 128] += level;
    below = descend(level - 1, trail);
    trail[level % 128] ^= below;
    return work_mix(below + trail[(level + 1) % 128]);
}

static NOINLINE void push(struct machine *machine, uint64_t value)
{
    machine->stack[machine->depth++ % 64] = value;
}

static NOINLINE uint64_t pop(struct machine *machine)
{
    return machine->stack[--machine->depth % 64];
}

static NOINLINE void count_step(struct machine *machine)
{
    machine->steps++;
}

static NOINLINE void op_add(struct machine *machine)
{
    push(machine, pop(machine) + pop(machine));
    count_step(machine);
}

static NOINLINE void op_multiply(struct machine *machine)
{
    push(machine, pop(machine) * pop(machine));
    count_step(machine);
}

static NOINLINE void op_twist(struct machine *machine)
{
    push(machine, work_mix(pop(machine)));
    count_step(machine);
}

static NOINLINE uint64_t evaluate(struct machine *machine, unsigned long rounds)
{
    static void (*const ops[])(struct machine *) = {op_add, op_multiply, op_add, op_twist};

    push(machine, 3);
    for (unsigned long i = 0; i < rounds; i++) {
        if (i % 4 != 3)
            push(machine, i);
        ops[i % 4](machine);
    }
    return pop(machine) + machine->steps;
}

static void *worker(void *arg)
{
    unsigned self = (unsigned)(uintptr_t)arg;
    struct machine machine = {.depth = 0};
    uint64_t trail[128] = {self}, sum = 0;

    for (int round = 0; round < ROUNDS; round++) {
        sum = work_mix(sum + descend(scale, trail));
        sum = work_mix(sum + evaluate(&machine, scale * 8));
    }
    sums[self] = sum;
    return NULL;
}

int main(int argc, char **argv)
{
    struct work_args args = work_parse(argc, argv, 4, 20000);
    uint64_t sum = 0;

    scale = args.scale;
    work_run(args.threads, worker);
    for (unsigned i = 0; i < args.threads; i++)
        sum = work_mix(sum + sums[i]);
    return work_print("calls", sum);
}
