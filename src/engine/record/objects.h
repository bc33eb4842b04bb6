/*
 * objects.h: what a pointer points into: a heap block, a global, a place on a stack, a thread. Heap
 * blocks are noted as they come and go; globals come from the command (RUN_DIR/objects, from the
 * symbol tables), the rest from the loader and the thread records.
 */
#ifndef SN_ENGINE_RECORD_OBJECTS_H
#define SN_ENGINE_RECORD_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sn_object_class { SN_AT_NOTHING, SN_AT_HEAP, SN_AT_GLOBAL, SN_AT_STACK, SN_AT_THREAD };

/* Beside the size of a heap block its number in graph.c, which is right if the block of that number
 * is at the address. */
struct sn_heap_block {
    uint64_t size : 40, number : 24;
};

struct sn_object_at {
    enum sn_object_class class;
    uintptr_t addr;
    uint64_t size;
    struct sn_heap_block *heap; /* null: none */
};

void sn_objects_add(uintptr_t addr, uint64_t size);
uint64_t sn_objects_remove(uintptr_t addr); /* its size; 0: not known */
uint32_t sn_objects_number(uintptr_t addr); /* of a heap block, also of one that was removed */
bool sn_objects_at(uintptr_t p, struct sn_object_at *out);

/* False: p is no pointer. Most words that are looked at are none. */
enum { SN_REGION_BITS = 24, SN_REGIONS = 1 << (47 - SN_REGION_BITS) };
extern uint8_t sn_objects_here[SN_REGIONS];      /* what there can be in a region */
extern uint64_t sn_objects_low, sn_objects_span; /* from the first of them to the last */
static inline bool sn_objects_maybe(uint64_t p)
{
    return p - sn_objects_low < sn_objects_span && sn_objects_here[p >> SN_REGION_BITS];
}

struct sn_thread;
uintptr_t sn_objects_stack_end(const struct sn_thread *t);
void sn_objects_stack(const struct sn_thread *t); /* before pointers to its stack are looked for */

/* The loaded modules' variables; instrumented or not. */
struct sn_segment {
    uintptr_t low, high;
    uintptr_t code_low, code_high; /* of its module */
    bool quiet;   /* a part of libc, or of snag: its own memory is nobody's business */
    bool watched; /* it was looked at: `sum` is what it was */
    bool changed; /* since then, or too large to be looked at */
    uint64_t sum;
};
/* Looks at the modules that are loaded now, under the loader's lock; takes over, with the order,
 * those that are new. */
void sn_objects_look_at_modules(void);
void sn_objects_take_modules(void);
bool sn_objects_unloaded(uintptr_t low, uint64_t size); /* true: a module was there */
void sn_segment_look(struct sn_segment *s);
/* A global of the program, from the command's table. */
void sn_objects_global(uintptr_t addr, uint64_t size);
void sn_objects_sort(void); /* after the last global */
uint32_t sn_objects_segments(struct sn_segment **out);

#endif
