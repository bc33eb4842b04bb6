/*
 * kept.h: reads of fields (fields.h) that a thread keeps for itself. Where all threads read the
 * members of many structs, and then each writes some of them, every reader would change every
 * field's second word, and take its cache line from the others. Once a read in a long epoch joins
 * those of another thread, the granule's name says that reads are kept (SN_FIELDS_KEPT), and a
 * thread has a record of its own for the granule: bytes and place of its reads in this epoch, and
 * in the one before.
 *
 * The readers of a byte are those that its field has and those that threads keep. Who writes to it
 * must know all of them, and mostly does without looking: each thread says in which epoch it last
 * kept anything, and a turn is counted with every such epoch. While the count stands where it stood
 * when the writer knew all these epochs, there is nothing to be looked at.
 *
 * Writes to such fields are told of in the same way, before they are made, so that a reader need
 * not look at the fields either: between two barriers it touches the granule, which nobody changes,
 * and its own record. Who writes there in short epochs ends the keeping.
 *
 * A record is found by the granule's address. It is made under the lock of the granule's fields,
 * and so is it made void by who takes the fields away, so none outlives them. Only its thread
 * writes the words.
 */
#ifndef SN_RACE_KEPT_H
#define SN_RACE_KEPT_H

#include <stdint.h>

#include "clock.h"
#include "fields.h"
#include "readset.h"
#include "shadow.h"

/* Tests want others: with more threads nothing is kept, since who writes would have too many to
 * look at; with fewer accesses since the last epoch with writes, keeping ends. */
extern uint32_t sn_kept_most_slots, sn_kept_few;

/* Epochs in which some thread has kept reads, or has written what others keep reads of; atomic. */
extern struct sn_kept_turns {
    uint64_t kept __attribute__((aligned(64))), wrote;
} sn_kept_turns SN_HIDDEN;

/* The thread has read these bytes of the granule in its epoch; of an older one, before it, more
 * than one word can be needed: 0. Signal handlers are kept away. */
static inline __attribute__((always_inline)) int sn_kept_put(struct sn_kept *e, uint64_t now,
                                                             int newer)
{
    uint64_t word = e->word;
    if (newer) {
        if ((uint8_t)e->before & ~(uint8_t)word)
            return 0;
        __atomic_store_n(&e->before, word, __ATOMIC_RELAXED);
    }
    __atomic_store_n(&e->word, now, __ATOMIC_RELEASE); /* pairs with sn_kept_words() */
    return 1;
}

/* The words of a record, without what is said twice; how many. */
static inline unsigned sn_kept_words(const struct sn_kept *e, uint64_t out[2])
{
    uint64_t word = __atomic_load_n(&e->word, __ATOMIC_ACQUIRE);
    uint64_t before = __atomic_load_n(&e->before, __ATOMIC_RELAXED);
    unsigned n = 0;
    before &= ~(uint64_t)sn_word_mask(word);
    if (sn_word_mask(word))
        out[n++] = word;
    if (sn_word_mask(before))
        out[n++] = before;
    return n;
}

/* Inside the engine: the read `me` of the field f, which had the readers `read`, by the thread t.
 * 0: it is not kept; the field has to remember it. */
int sn_kept_read(struct sn_thread *t, struct sn_granule *g, uintptr_t base, uint64_t name,
                 const struct sn_field *f, uint64_t read, uint64_t me);

/* The thread knows of all that is kept, and has said that it writes in this epoch. */
static inline int sn_kept_may_write(const struct sn_race_thread *r)
{
    return r->sets->kept_known == __atomic_load_n(&sn_kept_turns.kept, __ATOMIC_RELAXED) &&
           r->sets->wrote_epoch == r->epoch;
}

/* It knows all writes to fields of which it keeps reads. */
static inline int sn_kept_knows_writes(const struct sn_set_cache *c)
{
    return c->wrote_known == __atomic_load_n(&sn_kept_turns.wrote, __ATOMIC_RELAXED);
}

/* Inside the engine: the thread is going to write to such fields in this epoch. 0: its epochs are
 * too short for that. */
int sn_kept_begin_write(struct sn_race_thread *r);

/* Inside the engine: the thread knows all kept reads of these bytes. */
int sn_kept_look(struct sn_race_thread *r, uintptr_t base, unsigned mask);
/* Of the granule at base, the lock of whose fields is held: all that threads keep is told, if tell
 * is not null, and their records are void. */
void sn_kept_give_up(uintptr_t base, void (*tell)(void *to, uint64_t word, unsigned kind),
                     void *to);
/* The thread has ended: what it kept comes to the fields. */
void sn_kept_thread_gone(struct sn_race_thread *r);
/* Epochs are numbered anew. */
void sn_kept_forget_writers(void);

#endif
