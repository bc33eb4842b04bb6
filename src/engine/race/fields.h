/*
 * fields.h: a granule whose bytes are used as several fields, each with its own last write and last
 * readers: the members of a struct beside each other, counters of several threads. It is the first
 * form of an expanded granule (cell.h): good while no byte has more than one write that must be
 * kept, nor several reads in epochs that are too short for sets. Whatever does not fit makes it a
 * list of accesses.
 *
 * Fields are consecutive bytes. A field is found by its first byte; those that begin at even
 * bytes are in the first cache line, and where none begins at an odd byte there is no other. Where
 * they begin at the bytes 0 and 4 only, two granules share the line: one has its first and third
 * quarter, the other one the second and fourth. Fields are split when a part is accessed, under a
 * lock; the accesses themselves are compared and swapped without it, and never put in the place of
 * nothing: memory that is given back has no fields, so who comes late changes nothing.
 */
#ifndef SN_RACE_FIELDS_H
#define SN_RACE_FIELDS_H

#include <stdint.h>

#include "clock.h"
#include "readset.h"
#include "shadow.h"
#include "word.h"

struct sn_field {
    uint64_t
        w; /* last write; its mask: the field's bytes, 0: no field begins here. Epoch 0: none */
    uint64_t r; /* last read, a set of reads, or 0. They may have happened before the write */
};

/*
 * The reads of a set that a field names are said to be of all eight bytes, and are of the field's.
 * So fields have sets in common wherever they lie, a set need not change when its field is split,
 * and one of a granule all of which was read is one of a field's too. What is looked at with a set
 * is looked at inside the engine, since sets that nobody names are given back.
 */
static inline uint64_t sn_field_readers(uint64_t r)
{
    return (uint8_t)r ? r | 0xff : r;
}

/* The other way round, for a field of these bytes. */
static inline uint64_t sn_field_read(uint64_t readers, unsigned mask)
{
    return (uint8_t)readers ? (readers & ~0xffull) | mask : readers;
}

/* A name: an address above 16 bits; at it are 64 bytes, or twice that, or half of them
 * (SN_FIELDS_PAIR). SN_FIELDS_SETS: some may name a set; a collection (readset.h) does not look at
 * the others. SN_FIELDS_KEPT: threads may keep reads of them (kept.h). */
enum {
    SN_FIELDS_AT = 16,
    SN_FIELDS_WIDE = 0x200,
    SN_FIELDS_SETS = 0x400,
    SN_FIELDS_PAIR = 0x800,
    SN_FIELDS_KEPT = 0x1000
};

/* Where the field that begins at that byte is; sn_look_field() is the same. If there are but 64
 * bytes, or the half of them, it may be another granule's or up to 80 bytes past them: that can be
 * read, and is not a field of such a byte. */
static inline struct sn_field *sn_field_at(uint64_t name, unsigned byte)
{
    return (struct sn_field *)((name >> SN_FIELDS_AT) + (byte * 9 & 14) * 8);
}

/* The field of exactly these bytes; null: there is none. */
static inline struct sn_field *sn_field_of(uint64_t name, unsigned mask)
{
    struct sn_field *f = sn_field_at(name, (unsigned)__builtin_ctz(mask));
    return sn_word_mask(__atomic_load_n(&f->w, __ATOMIC_RELAXED)) == mask ? f : 0;
}

/* From a byte where a field may begin to the next. */
static inline unsigned sn_field_step(uint64_t name)
{
    return name & SN_FIELDS_WIDE ? 1 : name & SN_FIELDS_PAIR ? 4 : 2;
}

/* The field that has that byte, and all that it has; null: none, as far as can be seen. */
static inline struct sn_field *sn_field_with(uint64_t name, unsigned byte, unsigned *bytes)
{
    unsigned step = sn_field_step(name);
    for (unsigned first = byte & -step;; first -= step) {
        struct sn_field *f = sn_field_at(name, first);
        *bytes = sn_word_mask(__atomic_load_n(&f->w, __ATOMIC_RELAXED));
        if ((*bytes & -*bytes) == 1u << first && (*bytes >> byte & 1))
            return f;
        if (!first)
            return 0;
    }
}

/* In this epoch of the thread it was done already: alone, or in a set. */
static inline int sn_field_has(const struct sn_race_thread *r, const struct sn_field *f, int write)
{
    if (sn_word_epoch(__atomic_load_n(&f->w, __ATOMIC_RELAXED)) == r->epoch)
        return 1;
    uint32_t id = sn_word_epoch(__atomic_load_n(&f->r, __ATOMIC_RELAXED));
    uint64_t member = r->sets->member[id % SN_SET_CACHE];
    return !write && (id == r->epoch || (sn_word_epoch(member) == id && (uint8_t)member));
}

/* The same of all bytes of a mask, whichever fields have them: a text whose end was looked for is
 * read again byte by byte. */
static inline int sn_fields_have(const struct sn_race_thread *r, const struct sn_granule *g,
                                 uint64_t name, unsigned mask, int write)
{
    for (unsigned bytes; mask; mask &= ~bytes) {
        const struct sn_field *f = sn_field_with(name, (unsigned)__builtin_ctz(mask), &bytes);
        if (!f || !sn_field_has(r, f, write))
            return 0;
    }
    return __atomic_load_n(&g->w, __ATOMIC_RELAXED) == name;
}

/* The word `now` takes the place of `old`, which was found in the field f of the granule g, when
 * that had this name. 0: no, or the name must say first that there are sets. */
static inline int sn_field_swap(const struct sn_granule *g, uint64_t name, struct sn_field *f,
                                uint64_t old, uint64_t now, int write)
{
    return old && ((name & SN_FIELDS_SETS) || !sn_word_is_set(now)) &&
           __atomic_load_n(&g->w, __ATOMIC_RELAXED) == name &&
           __atomic_compare_exchange_n(write ? &f->w : &f->r, &old, now, 0, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
}

/* A set does not tell which bytes its field had, so that is looked at when it was replaced. */
static inline int sn_field_is_still(const struct sn_granule *g, uint64_t name,
                                    const struct sn_field *f, unsigned mask)
{
    return sn_word_mask(__atomic_load_n(&f->w, __ATOMIC_RELAXED)) == mask &&
           __atomic_load_n(&g->w, __ATOMIC_RELAXED) == name;
}

/* Inside the engine: nothing conflicts, and `me` takes the place of the last access of its kind in
 * the field f, or joins the readers that are there. Returns the new word; *was: the one before. 0:
 * no. */
uint64_t sn_field_put(struct sn_race_thread *r, const struct sn_granule *g, uint64_t name,
                      struct sn_field *f, uint64_t me, int write, uint64_t *was);

/* Two words may do again after an access to these bytes, the last of which then have the write
 * `last`, and it pays: looked at once in a while, as loops pass the granule, when the first and the
 * last byte have the same write. */
static inline __attribute__((always_inline)) int
sn_fields_may_go(const struct sn_race_thread *r, uint64_t name, unsigned mask, uint64_t last)
{
    if (!(mask & 0x80) || !sn_clock_is_long(r))
        return 0;
    uint64_t first = __atomic_load_n(&sn_field_at(name, 0)->w, __ATOMIC_RELAXED);
    return (mask & 1) || !((first ^ last) >> 8);
}

/* The plain access `me` of r's thread, inside the engine, to the granule at addr, which has fields
 * or gets them. 0: nothing was done, it needs a list. */
int sn_fields_access(struct sn_race_thread *r, struct sn_granule *g, uintptr_t addr, uint64_t me,
                     int write);
/* The name of new fields with these accesses, of which writes have SN_WORD_WRITE. 0: a byte has two
 * writes, or several reads that it does not pay to make a set of, or there is no room. */
uint64_t sn_fields_of(struct sn_race_thread *r, const uint64_t *words, unsigned n);
/* The sets that fields of that name name. */
void sn_fields_each_set(uint64_t name, void (*fn)(uint64_t set));
/* The last write of each is known. */
int sn_fields_knows_writes(const struct sn_race_thread *r, uint64_t name);
/* Reads of them are no longer kept. 0: the fields cannot have them all, or are others now. */
int sn_fields_stop_keeping(struct sn_race_thread *r, struct sn_granule *g, uintptr_t base,
                           uint64_t name);
/* Guards the fields of that name: which they are, not the accesses. */
uint32_t *sn_fields_lock(uint64_t name);
/* What the thread of r has kept of the granule (kept.h) comes to its fields. 0: they cannot have
 * it. */
int sn_fields_take_back(struct sn_race_thread *r, struct sn_granule *g, const struct sn_kept *e);
/* All accesses to the granule at base are told (with kind SN_PLAIN_WRITE or SN_PLAIN_READ), then
 * its first word is `instead`. 0: it does not have these fields any more. */
int sn_fields_dissolve(struct sn_granule *g, uintptr_t base, uint64_t name, uint64_t instead,
                       void (*tell)(void *to, uint64_t word, unsigned kind), void *to);

#endif
