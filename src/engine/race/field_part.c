/*
 * field_part.c: accesses to a part of what fields have, without a look at every byte: a text in a
 * buffer that is read byte by byte, has its ends written into it, and is then written over.
 */
#include "field_form.h"

/* The bytes of a mask, which are consecutive, and those below and above them among `bytes`. */
struct parts {
    unsigned low, mask, high, first, end;
};

static struct parts parts_of(unsigned bytes, unsigned mask)
{
    unsigned first = (unsigned)__builtin_ctz(mask);
    unsigned end = 32 - (unsigned)__builtin_clz(mask), below = (1u << first) - 1;
    return (struct parts){bytes & below, mask, bytes & ~(below | mask), first, end};
}

static unsigned starts_of(const struct parts *p)
{
    return (p->low ? p->low & -p->low : 0) | 1u << p->first | (p->high ? 1u << p->end : 0);
}

/* The same accesses for other bytes. */
static void put_part(uint64_t name, unsigned mask, uint64_t w, uint64_t read)
{
    sn_field_set(sn_field_at(name, (unsigned)__builtin_ctz(mask)), (w & ~0xffull) | mask,
                 sn_field_read(read, mask));
}

uint64_t sn_field_around(struct sn_race_thread *r, uint64_t w, uint64_t second, uint64_t me,
                         int write)
{
    struct parts p = parts_of(0xff, sn_word_mask(me));
    unsigned kind = sn_field_kind(starts_of(&p));
    if (sn_word_mask(w) != 0xff || (second && sn_word_mask(second) != 0xff) ||
        sn_word_is_write(second) || !sn_clock_knows(r, sn_word_epoch(w)) ||
        !sn_clock_knows(r, sn_word_epoch(second)))
        return 0;
    void *memory = sn_field_memory_take(kind);
    uint64_t name = (uint64_t)(uintptr_t)memory << SN_FIELDS_AT | SN_WORD_FIELDS | kind;
    if (!memory)
        return 0;
    put_part(name, p.mask, write ? me : w, write ? second : me);
    if (p.low)
        put_part(name, p.low, w, second);
    if (p.high)
        put_part(name, p.high, w, second);
    return name;
}

/* Whoever puts an access to the whole field looks whether it is still that (sn_field_is_still()).
 * So its reads are looked at when it is not. */
struct sn_field *sn_field_cut(uint64_t name, unsigned mask)
{
    unsigned bytes;
    struct sn_field *f = sn_field_with(name, (unsigned)__builtin_ctz(mask), &bytes);
    if (!f || (mask & ~bytes) || mask == bytes)
        return 0;
    struct parts p = parts_of(bytes, mask);
    uint64_t w = __atomic_load_n(&f->w, __ATOMIC_RELAXED);
    if (!sn_field_has_room(name, starts_of(&p)) ||
        !__atomic_compare_exchange_n(&f->w, &w, (w & ~0xffull) | (p.low ? p.low : mask), 0,
                                     __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
        return 0;
    uint64_t read = __atomic_load_n(&f->r, __ATOMIC_SEQ_CST);
    if (p.high)
        put_part(name, p.high, w, read);
    if (p.low)
        put_part(name, mask, w, read);
    return sn_field_at(name, p.first);
}

int sn_field_all_known(struct sn_race_thread *r, uint64_t name)
{
    for (unsigned b = 0, bytes; b < 8; b = 32 - (unsigned)__builtin_clz(bytes)) {
        const struct sn_field *f = sn_field_at(name, b);
        uint64_t w = __atomic_load_n(&f->w, __ATOMIC_RELAXED);
        uint64_t read = __atomic_load_n(&f->r, __ATOMIC_RELAXED);
        bytes = sn_word_mask(w);
        if ((bytes & -bytes) != 1u << b || !sn_clock_knows(r, sn_word_epoch(w)) ||
            (read && !sn_set_known_bytes(r, read)))
            return 0;
    }
    return 1;
}
