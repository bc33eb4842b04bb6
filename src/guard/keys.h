/*
 * keys.h: names of places that survive a rebuild: "prog!add@bank.c+3:9/write4#0": module, function,
 * file, line counted from where the function begins, column, what is called there, and a number
 * where that is not enough. So a place keeps its name as long as its function does not change up to
 * it, whatever else changes in the program. Without debug information a place is
 * "prog+0x1234@BUILDID".
 */
#ifndef SN_GUARD_KEYS_H
#define SN_GUARD_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#include "guard/calls.h"

struct sn_keys;

struct sn_keys *sn_keys_new(void);
void sn_keys_free(struct sn_keys *k);
/* The module at `path`, read once; -1: it cannot be read. */
int sn_keys_module(struct sn_keys *k, const char *path);
const char *sn_keys_path(const struct sn_keys *k, int module);
const struct sn_calls *sn_keys_calls(const struct sn_keys *k, int module);
/* The key of the place whose call returns to `returns`; owned by k. */
const char *sn_keys_of(struct sn_keys *k, int module, uint64_t returns);
/* The other way, in the module as it is now. False: there is no such place any more. */
bool sn_keys_find(struct sn_keys *k, int module, const char *key, uint64_t *returns);
/* "add() at bank.c:12 (write4)" for people; by key alone when the place is gone. malloc. */
char *sn_keys_words(struct sn_keys *k, const char *key);
enum sn_keys_where { SN_KEYS_ANYWHERE, SN_KEYS_IN_CODE, SN_KEYS_IN_SOURCE };
/* "add@bank.c:12:9/write4": where the call stands in the source. The function is the one that its
 * code is in, without what the compiler adds for parts and clones, or the one of the source, or is
 * left out. malloc; null: not known. */
char *sn_keys_source(struct sn_keys *k, int module, const struct sn_call_site *c,
                     enum sn_keys_where where);
/* The function of the source that makes the call, which may be inlined where it stands. malloc;
 * null: not known. */
char *sn_keys_function(struct sn_keys *k, int module, const struct sn_call_site *c);
/* Calls `found` for the functions of the source that are inlined in this code, outer ones first;
 * several times for one. */
void sn_keys_inlined(struct sn_keys *k, int module, uint64_t low, uint64_t high,
                     void (*found)(void *arg, const char *name, const char *caller), void *arg);
uint64_t sn_keys_hash(const char *text);

#endif
