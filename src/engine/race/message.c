/* message.c: the message clock. */
#include "message.h"

#include "clock.h"
#include "core/options.h"
#include "core/sync.h"

/* Messages sent by each slot, all its threads together; written by the slot's thread. */
static uint32_t sent[SN_MAX_SLOTS];

/* Addresses of synchronisation objects are even; readers' releases have the odd neighbour. */
static uintptr_t beside(uintptr_t object)
{
    return object + 2;
}

uint32_t sn_message_now(const struct sn_thread *t)
{
    return sent[sn_race_of((struct sn_thread *)t)->slot] + 1;
}

/* What the thread has done so far is known by this count. */
static void count(struct sn_race_thread *r)
{
    r->message[r->slot] = ++sent[r->slot];
}

void sn_message_thread_new(struct sn_thread *t, struct sn_thread *parent)
{
    struct sn_race_thread *r = sn_race_of(t);
    uint32_t n = sn_clock_slots;
    if (!parent) {
        __builtin_memset(r->message, 0, n * sizeof *r->message);
        return;
    }
    struct sn_race_thread *p = sn_race_of(parent);
    count(p);
    __builtin_memcpy(r->message, p->message, n * sizeof *r->message);
}

void sn_message_leave_slot(struct sn_thread *t)
{
    count(sn_race_of(t));
}

void sn_message_send(struct sn_thread *t, uintptr_t object)
{
    struct sn_sync *s = sn_opt.lock_order ? sn_sync_get(beside(object), SN_SYNC_ANY) : 0;
    if (!s)
        return;
    struct sn_race_thread *r = sn_race_of(t);
    sn_sync_lock(s);
    uint32_t *to = sn_clock_room(s, sn_clock_slots);
    if (to) {
        count(r);
        sn_clock_max(to, r->message, sn_clock_slots);
    }
    sn_sync_unlock(s);
}

void sn_message_receive(struct sn_thread *t, uintptr_t object)
{
    struct sn_sync *s = sn_opt.lock_order ? sn_sync_find(beside(object)) : 0;
    if (!s)
        return;
    sn_sync_lock(s);
    uint32_t n = sn_race_sync_of(s)->n;
    if (n)
        sn_clock_max(sn_race_of(t)->message, sn_clock_room(s, n), n);
    sn_sync_unlock(s);
}

void sn_message_join(struct sn_thread *t, struct sn_thread *finished)
{
    struct sn_race_thread *r = sn_race_of(t), *f = sn_race_of(finished);
    if (!f->message)
        return;
    sn_clock_max(r->message, f->message, sn_clock_slots);
    if (r->message[f->slot] < sent[f->slot] + 1)
        r->message[f->slot] = ++sent[f->slot];
}
