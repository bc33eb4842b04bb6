/*
 * library_object.c: the objects of a library's order, and the functions that it calls back.
 *
 * A key is no place in memory: its values make an address that no memory has (bit 62). A message is
 * counted, so that its record goes when all that were sent have been received.
 *
 * A callback is given to the library as a stub for the program's function and the callback's entry.
 * Structures and tables of virtual functions with callbacks in them are copied and never given
 * back; equal ones are one. Or they are changed where they lie: structures that the library gets,
 * tables of classes whose virtual functions count every time.
 */
#include <string.h>

#include "core/hash.h"
#include "core/spin.h"
#include "runtime/elf_module.h"
#include "runtime/emit.h"
#include "runtime/library.h"
#include "runtime/redirect.h"
#include "runtime/stub.h"

#define KEY ((uintptr_t)1 << 62)

uintptr_t sn_library_object(const struct sn_contract_effect *e, uintptr_t value, uintptr_t value2)
{
    const struct sn_contract_object *o = sn_contract_object(e->object);
    if (!o->hidden && !o->key)
        return value ? value + e->offset : 0;
    uint64_t name = sn_hash_mix(sn_stub_target(value) + sn_hash_mix(sn_stub_target(value2)));
    return KEY | (sn_hash_mix(name + e->object + 1) >> 3 << 1);
}

/* ---- messages ---- */

static uint32_t locks[64] SN_HOT; /* of keys: a record must not go while it is being sent to */

static uint32_t *lock_of(uintptr_t key)
{
    return &locks[key >> 5 & 63];
}

void sn_library_send(struct sn_thread *t, uintptr_t key, uintptr_t pc)
{
    sn_spin_lock(lock_of(key));
    struct sn_sync *s = sn_sync_get(key, SN_SYNC_ANY);
    if (s) {
        s->given++;
        SN_EMIT(t, RELEASE_MERGE, .addr = key, .pc = pc, .sync = s);
    }
    sn_spin_unlock(lock_of(key));
}

void sn_library_receive(struct sn_thread *t, uintptr_t key, uintptr_t pc)
{
    sn_spin_lock(lock_of(key));
    struct sn_sync *s = sn_sync_find(key);
    if (s) {
        SN_EMIT(t, ACQUIRE, .addr = key, .pc = pc, .sync = s);
        if (s->given <= 1)
            sn_sync_drop(key);
        else
            s->given--;
    }
    sn_spin_unlock(lock_of(key));
}

/* ---- references ----
 *
 * Whoever gives up the last one may destroy the object inside the library's function, so what the
 * others released must be acquired before. Of two who are in there at once that cannot be told, so
 * they go one after the other; nobody waits for long, since the last one may do anything. */

enum { DROPS = 256, PATIENCE = 2000 };

static uint32_t dropping[DROPS] SN_HOT; /* 1 + number of the thread that is in there; atomic */

static uint32_t *drop_of(uintptr_t object)
{
    return &dropping[sn_hash_mix(object) & (DROPS - 1)];
}

void sn_library_turn_begin(const struct sn_thread *t, uintptr_t object)
{
    uint32_t *turn = drop_of(object), free = 0;
    for (int i = 0; i < PATIENCE; i++, free = 0) {
        if (__atomic_compare_exchange_n(turn, &free, t->number + 1, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED) ||
            free == t->number + 1)
            break;
        sn_cpu_relax();
    }
}

void sn_library_drop_begin(struct sn_thread *t, uintptr_t object, uintptr_t pc)
{
    sn_library_turn_begin(t, object);
    SN_EMIT(t, RELEASE_MERGE, .addr = object, .pc = pc);
    SN_EMIT(t, ACQUIRE, .addr = object, .pc = pc);
}

void sn_library_drop_end(const struct sn_thread *t, uintptr_t object)
{
    uint32_t mine = t->number + 1;
    __atomic_compare_exchange_n(drop_of(object), &mine, 0, false, __ATOMIC_RELEASE,
                                __ATOMIC_RELAXED);
}

/* ---- callbacks ---- */

static uintptr_t stub_of(uintptr_t function, const struct sn_contract_effect *e)
{
    uint32_t entry = e->callback - 1u;
    uintptr_t stub = 0;
    if (function && e->callback && !sn_is_stub(function))
        stub = sn_stub_for(
            (struct sn_stub){.target = function,
                             .entry = entry,
                             .is_order = 1,
                             .is_long = (sn_contract_entry(entry)->flags & SN_ENTRY_LONG) != 0});
    return stub ? stub : function;
}

enum { COPIES = 1024, COPY_BYTES = SN_CALLBACK_BYTES };

static struct {
    char bytes[COPY_BYTES];
    uintptr_t of; /* what it is a copy of, where that matters */
} copies[COPIES] __attribute__((aligned(16))) SN_LARGE;
static uint32_t ncopies, copies_lock; /* the lock guards both */

/* A lasting copy of all COPY_BYTES; null: there is no room. */
static void *lasting(const void *structure, uintptr_t of)
{
    void *found = 0;
    sn_spin_lock(&copies_lock);
    for (uint32_t i = 0; i < ncopies && !found; i++)
        if (copies[i].of == of && memcmp(copies[i].bytes, structure, COPY_BYTES) == 0)
            found = copies[i].bytes;
    if (!found && ncopies < COPIES) {
        copies[ncopies].of = of;
        found = memcpy(copies[ncopies++].bytes, structure, COPY_BYTES);
    }
    sn_spin_unlock(&copies_lock);
    return found;
}

void sn_library_callback(struct sn_call *c, const struct sn_contract_effect *e)
{
    uint64_t *arg = &c->arg[e->arg - 1];
    char copy[COPY_BYTES] = {0};
    bool in_place = e->how & SN_HOW_IN_PLACE;
    if (!e->callback_bytes && !in_place) {
        *arg = stub_of(*arg, e);
        return;
    }
    if (!*arg)
        return;
    if (in_place) {
        uintptr_t *there = (uintptr_t *)(*arg + e->offset);
        *there = stub_of(*there, e);
        return;
    }
    memcpy(copy, (const char *)*arg, e->callback_bytes);
    uintptr_t *function = (uintptr_t *)(copy + e->offset);
    *function = stub_of(*function, e);
    void *structure = lasting(copy, 0);
    if (structure)
        *arg = (uintptr_t)structure;
}

/* Until the method is called the object has a copy of its table in which that function is a stub.
 * Two words in front of the table, its name and its offset in a larger object, belong to it. */
enum { FRONT = 2, WORDS = COPY_BYTES / 8 - FRONT };

/* The table that this one, a copy or not, stands for. */
static uintptr_t origin(uintptr_t table)
{
    uintptr_t at = table - (uintptr_t)copies;
    return at < sizeof copies ? copies[at / sizeof *copies].of : table;
}

struct change {
    uintptr_t *slot, value;
};

/* Read-only data of a program at a fixed address are opened like RELRO; false: they are beside
 * code. */
static bool can_change(const struct dl_phdr_info *info, uintptr_t slot, struct sn_elf *m)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD || slot - info->dlpi_addr - p->p_vaddr >= p->p_memsz)
            continue;
        if (!(p->p_flags & PF_W)) {
            m->relro_low = slot & ~(uintptr_t)4095;
            m->relro_high = m->relro_low + 4096;
        }
        return !(p->p_flags & PF_X);
    }
    return false;
}

/* The loader's lock is held, as for all slots that are set. */
static int change_there(struct dl_phdr_info *info, size_t size, void *arg)
{
    const struct change *c = arg;
    struct sn_elf m;
    (void)size;
    if (!sn_elf_read(&m, info) || (uintptr_t)c->slot - m.low >= m.high - m.low)
        return 0;
    if (can_change(info, (uintptr_t)c->slot, &m))
        sn_slot_set(&m, c->slot, c->value);
    return 1;
}

static void method_of_class(uintptr_t *slot, const struct sn_contract_effect *e)
{
    struct change c = {slot, stub_of(*slot, e)};
    if (c.value != *slot)
        dl_iterate_phdr(change_there, &c);
}

void sn_library_method(const struct sn_call *c, const struct sn_contract_effect *e)
{
    uintptr_t **object = (uintptr_t **)c->arg[e->arg - 1], copy[FRONT + WORDS];
    if (object && e->how & SN_HOW_IN_PLACE) {
        method_of_class(*object + e->offset, e);
        return;
    }
    if (!object || e->offset >= WORDS || sn_is_stub((*object)[e->offset]))
        return;
    memcpy(copy, *object - FRONT, sizeof copy);
    copy[FRONT + e->offset] = stub_of(copy[FRONT + e->offset], e);
    uintptr_t *made = lasting(copy, origin((uintptr_t)*object));
    if (made)
        *object = made + FRONT;
}

void sn_library_method_called(const struct sn_call *c)
{
    uintptr_t *object = (uintptr_t *)c->arg[0];
    uintptr_t table = object ? origin(*object) : 0;
    if (object && table != *object)
        *object = table;
}
