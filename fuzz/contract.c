/*
 * contract.c: fuzz target: any text as a contract file. What is read must also have a flat form
 * whose offsets all lie inside it; what is not must give a reason with a line.
 *
 * SOURCES: src/contract/parse.c src/contract/compile.c
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "contract/contract.h"

static void must(int holds)
{
    if (!holds)
        abort();
}

static void check_flat(const struct sn_contract_file *f, size_t bytes)
{
    must(f->magic == SN_CONTRACT_MAGIC && f->bytes == bytes && f->strings <= bytes);
    size_t text = bytes - f->strings;
    for (uint32_t i = 0; i < f->nentries; i++) {
        const struct sn_contract_entry *e = SN_CONTRACT_AT(f, sn_contract_entry, f->entries) + i;
        must(e->name < text && e->library < f->nlibraries);
        must(e->neffects && e->first_effect + e->neffects <= f->neffects);
    }
    for (uint32_t i = 0; i < f->neffects; i++) {
        const struct sn_contract_effect *e = SN_CONTRACT_AT(f, sn_contract_effect, f->effects) + i;
        must(e->object < f->nobjects && e->arg <= SN_CONTRACT_ARGS && e->mode <= f->nmodes);
        must(!e->test || (e->test_arg >= 1 && e->test_arg <= SN_CONTRACT_ARGS));
    }
    for (uint32_t i = 0; i < f->nobjects; i++) {
        const struct sn_contract_object *o = SN_CONTRACT_AT(f, sn_contract_object, f->objects) + i;
        must(o->root < f->nobjects && o->name < text && o->map_symbol < text);
    }
    must(!text || ((const char *)f)[bytes - 1] == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sn_contracts c = {0};
    char *text = malloc(size + 1), *why = NULL;
    memcpy(text, data, size);
    text[size] = 0;
    if (sn_contracts_read_text(&c, "fuzz", text, &why) == 0) {
        size_t bytes;
        void *flat = sn_contracts_compile(&c, &bytes);
        must(!why);
        check_flat(flat, bytes);
        free(flat);
    } else {
        must(why && strncmp(why, "fuzz:", 5) == 0);
    }
    sn_contracts_free(&c);
    free(why);
    free(text);
    return 0;
}
