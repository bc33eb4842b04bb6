/*
 * field_form.h: what fields.c and field_part.c know of how fields lie in their memory.
 */
#ifndef SN_RACE_FIELD_FORM_H
#define SN_RACE_FIELD_FORM_H

#include "field_memory.h"
#include "fields.h"

/* What kind of memory fields need that begin there, as their name says it. */
static inline unsigned sn_field_kind(unsigned starts)
{
    return starts & 0xaa ? SN_FIELDS_WIDE : starts & 0x44 ? 0 : SN_FIELDS_PAIR;
}

/* There is room for fields that begin there. */
static inline int sn_field_has_room(uint64_t name, unsigned starts)
{
    for (unsigned b = 0; b < 8; b += sn_field_step(name))
        starts &= ~(1u << b);
    return !starts;
}

static inline void sn_field_set(struct sn_field *f, uint64_t w, uint64_t r)
{
    if (f->r != r)
        __atomic_store_n(&f->r, r, __ATOMIC_RELAXED);
    if (f->w != w)
        __atomic_store_n(&f->w, w, __ATOMIC_RELAXED);
}

/* Without fields, back to where it came from. */
static inline void sn_field_give_back(uint64_t name)
{
    for (unsigned b = 0; b < 8; b += sn_field_step(name))
        sn_field_set(sn_field_at(name, b), 0, 0);
    sn_field_memory_give(sn_field_at(name, 0), name);
}

/* Of a thread that does not look at every byte (field_part.c); its steps are those of fields.c,
 * which does the rest. All but the first under the lock of the fields. 0: nothing was done. */

/* Two words, the older of which is of all bytes and known, become fields around the access `me`:
 * their name. Nobody knows it yet. */
uint64_t sn_field_around(struct sn_race_thread *r, uint64_t w, uint64_t second, uint64_t me,
                         int write);
/* The field that has these bytes is cut into two or three: they are one now, which is returned,
 * with the same last accesses. */
struct sn_field *sn_field_cut(uint64_t name, unsigned mask);
/* All that fields have is known, so that after a write to all bytes nothing is left of them. */
int sn_field_all_known(struct sn_race_thread *r, uint64_t name);

#endif
