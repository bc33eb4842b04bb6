/* none.c: the engine that does nothing: what an instrumented program has when it runs without snag. */
#include "core/engine.h"

const char sn_engine_name[] = "none";
const int sn_engine_gates = 0;
const int sn_engine_sees_blocks = 0;
const int sn_engine_own_heap = 0;
const int sn_engine_needs_code = 1;

void sn_engine_init(void)
{
}

void sn_engine_exit(void)
{
}

void sn_engine_forked(struct sn_thread *self)
{
    (void)self;
}

void sn_engine_thread_new(struct sn_thread *t, struct sn_thread *parent)
{
    (void)t, (void)parent;
}

void sn_engine_thread_gone(struct sn_thread *t)
{
    (void)t;
}

enum sn_gate_answer sn_engine_gate(struct sn_thread *t, struct sn_event *ev)
{
    (void)t, (void)ev;
    return SN_GO;
}

void sn_engine_event(struct sn_thread *t, const struct sn_event *ev)
{
    (void)t, (void)ev;
}
