/*
 * symbol.h: from code and data positions to names, by ELF and DWARF (elfutils). Separate debug
 * files by build id are found where Debian puts them. Modules are opened once and cached; results
 * are cached too. elfutils' headers stay inside this folder. No network is asked.
 *
 * A file that is not there, broken, or of another build gives frames and objects without names. The
 * strings that are handed out are the caller's (sn_stack_clear(), sn_object_clear()). Objects are
 * given zeroed; on -ENOENT they stay so. One thread at a time.
 */
#ifndef SN_SYMBOL_SYMBOL_H
#define SN_SYMBOL_SYMBOL_H

#include <stdbool.h>
#include <stdint.h>

#include "store/finding.h"

struct sn_symboliser;

struct sn_symboliser *sn_symboliser_new(void);
void sn_symboliser_free(struct sn_symboliser *s);

/* Module `path` must have that build id (n bytes, 0: do not check), else its symbols are not used.
 */
int sn_symbol_module(struct sn_symboliser *s, const char *path, const uint8_t *build_id, unsigned n,
                     unsigned *module);
/* Adds the frames at `offset` (ELF vaddr) innermost first: inlined ones, then the function itself.
 * is_return: offset is a return address, look at the byte before. Always adds at least one frame.
 */
void sn_symbol_code(struct sn_symboliser *s, unsigned module, uint64_t offset, bool is_return,
                    struct sn_stack *out);
/* The other way: calls `found` for every range of code that belongs to this line (and column, unless
 * that is 0) of a file with this base name. */
void sn_symbol_lines(struct sn_symboliser *s, unsigned module, const char *file, int line,
                     int column, void (*found)(void *arg, uint64_t low, uint64_t high), void *arg);
/* The build id of the file as it is now; returns its bytes, 0: none. */
unsigned sn_symbol_build_id(struct sn_symboliser *s, unsigned module, uint8_t id[64]);
/* The variable that covers `offset`: name, size, file, line, offset in it. 0 or -ENOENT. */
int sn_symbol_data(struct sn_symboliser *s, unsigned module, uint64_t offset,
                   struct sn_object *out);
/* Same for thread-local storage: tls_offset is from the start of the module's TLS block. */
int sn_symbol_tls(struct sn_symboliser *s, unsigned module, uint64_t tls_offset,
                  struct sn_object *out);
/* The local variable or parameter at address `addr` of the function that is at `code_offset` (a
 * return address). The registers are those of its call of __tsan_func_entry, where there is one. 0
 * or -ENOENT. */
int sn_symbol_local(struct sn_symboliser *s, unsigned module, uint64_t code_offset, uint64_t rsp,
                    uint64_t rbp, uint64_t addr, struct sn_object *out);
/* "variable.field[3].sub" for the byte at `offset` of the module; null when not known. malloc. */
char *sn_symbol_member(struct sn_symboliser *s, unsigned module, uint64_t offset);

#endif
