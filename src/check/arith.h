/* arith.h: the rarer arithmetic of the bytecode: 128-bit integers, bit tricks, floating point. */
#ifndef SN_CHECK_ARITH_H
#define SN_CHECK_ARITH_H

#include "check/bytecode.h"

bool sn_wide_insn(const struct sn_insn *i, struct sn_reg *r); /* false: division by zero */
void sn_overflow_insn(const struct sn_insn *i, struct sn_reg *r);
void sn_bits_insn(const struct sn_insn *i, struct sn_reg *r);  /* reads the EXT behind it */
void sn_float_insn(const struct sn_insn *i, struct sn_reg *r);

#endif
