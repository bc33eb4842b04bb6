/*
 * redirect.h: calls under a contract are redirected to the engine, in every loaded module, without
 * a rebuild. See redirect.c. Active only when the engine has sn_engine_call_fast(), else by
 * runtime/library.h.
 */
#ifndef SN_RUNTIME_REDIRECT_H
#define SN_RUNTIME_REDIRECT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/contract.h"
#include "core/engine.h"

extern const struct sn_contract_file *sn_contracts; /* null: none */

/* Before main: maps the contracts and redirects. Without a contract file it does nothing. */
void sn_redirect_init(const char *run_dir);
/* New modules may be there: redirect their calls too. Waits for the loader's lock. */
void sn_redirect_refresh(void);
/* Somebody writes hidden state `object`: its readers are of interest from now on. False: they were
 * before. */
bool sn_redirect_arm(uint32_t object);
/* The program is about to have several threads: the same for state that it has calls to write. */
void sn_redirect_arm_written(void);
extern uint8_t sn_redirect_armed[]; /* by object; 1: its readers are redirected */
/* The address of a function that the library defines; null: it has none of that name. */
uintptr_t sn_redirect_find(uint32_t library, const char *name);
/* The stub that stands for `real` when a contract of its library names it; else real itself. */
uintptr_t sn_redirect_for(const char *name, uintptr_t real);

static inline const struct sn_contract_entry *sn_contract_entry(uint32_t i)
{
    return SN_CONTRACT_AT(sn_contracts, sn_contract_entry, sn_contracts->entries) + i;
}

static inline const struct sn_contract_effect *sn_contract_effect(uint32_t i)
{
    return SN_CONTRACT_AT(sn_contracts, sn_contract_effect, sn_contracts->effects) + i;
}

static inline const struct sn_contract_object *sn_contract_object(uint32_t i)
{
    return SN_CONTRACT_AT(sn_contracts, sn_contract_object, sn_contracts->objects) + i;
}

static inline const struct sn_contract_mode *sn_contract_mode(uint32_t i)
{
    return SN_CONTRACT_AT(sn_contracts, sn_contract_mode, sn_contracts->modes) + i;
}

static inline const struct sn_contract_library *sn_contract_library(uint32_t i)
{
    return SN_CONTRACT_AT(sn_contracts, sn_contract_library, sn_contracts->libraries) + i;
}

#endif
