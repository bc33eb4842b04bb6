/* marks.h: what SNAG_INS_THIS_FUNC and SNAG_INS_THIS_BLOCK left in the modules (section .snag_ins).
 */
#ifndef SN_GUARD_MARKS_H
#define SN_GUARD_MARKS_H

struct sn_inv;

/* Sets `chosen` of the places in marked functions and blocks. */
void sn_inv_marks(struct sn_inv *v);

#endif
