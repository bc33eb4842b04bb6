/*
 * clock_tree.h: vector clocks as immutable trees (TSVD, section 3.5): handing a clock on is copying
 * a number, and two clocks with the same number are equal. 0 is the clock of nobody.
 */
#ifndef SN_CORE_CLOCK_TREE_H
#define SN_CORE_CLOCK_TREE_H

#include <stdbool.h>
#include <stdint.h>

uint32_t sn_clock_tree_get(uint32_t tree, uint32_t thread); /* 0: not in it */
/* The tree with that time for the thread; the same tree when it says so already, or a later one. */
uint32_t sn_clock_tree_put(uint32_t tree, uint32_t thread, uint32_t tick);
uint32_t sn_clock_tree_join(uint32_t a, uint32_t b);
/* Ordered, balanced, all threads in [low, high]: for tests. */
bool sn_clock_tree_is_valid(uint32_t tree, uint32_t low, uint32_t high);

#endif
