/*
 * location.h: where a DWARF expression says that something is, when only the stack and the frame
 * pointer of the function are known, and no memory.
 */
#ifndef SN_SYMBOL_LOCATION_H
#define SN_SYMBOL_LOCATION_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

struct sn_registers {
    uint64_t rsp, rbp;
    uint64_t cfa;        /* canonical frame address: the caller's rsp before the call */
    uint64_t frame_base; /* of the function */
    bool has_cfa, has_frame_base;
};

/* A part of a variable that is in memory. */
struct sn_location {
    uint64_t low;
    uint64_t offset; /* of the part in the variable */
    uint64_t size;   /* 0: the rest of the variable */
};

/* The address that the expression gives; false: it needs something that is not known. */
bool sn_location_address(const Dwarf_Op *op, size_t n, const struct sn_registers *r, uint64_t *out);
/* The same where the expression may also name a register: its value is the address. */
bool sn_location_base(const Dwarf_Op *op, size_t n, const struct sn_registers *r, uint64_t *out);
/* The next part of a variable from operation *at on; false: no more. Start with *at and *offset 0.
 */
bool sn_location_next(const Dwarf_Op *op, size_t n, const struct sn_registers *r, size_t *at,
                      uint64_t *offset, struct sn_location *out);

#endif
