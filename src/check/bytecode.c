/* bytecode.c: looking things up in a program, and giving it back. See bytecode.h. */
#include "check/bytecode.h"

#include <stdlib.h>
#include <string.h>

const char *sn_opcode_name(enum sn_opcode op)
{
    static const char *const names[] = {
#define SN_OPCODE(name, form) #name,
#include "check/opcode.def"
#undef SN_OPCODE
    };
    return op < SN_OPCODES ? names[op] : "?";
}

const char *sn_bytecode_string(const struct sn_bytecode *c, uint32_t s) { return s < c->nstring ? c->string[s] : ""; }

uint32_t sn_bytecode_find(const struct sn_bytecode *c, const char *function)
{
    for (uint32_t i = 0; i < c->nfunc; i++)
        if (strcmp(sn_bytecode_string(c, c->func[i].name), function) == 0)
            return i;
    return SN_NONE;
}

uint32_t sn_bytecode_func_of(const struct sn_bytecode *c, uint32_t pc)
{
    for (uint32_t i = 0; i < c->nfunc; i++)
        if (c->func[i].entry != SN_NONE && pc >= c->func[i].entry && pc < c->func[i].end)
            return i;
    return SN_NONE;
}

void sn_bytecode_free(struct sn_bytecode *c)
{
    for (size_t i = 0; i < c->nstring; i++)
        free(c->string[i]);
    free(c->string);
    free(c->insn);
    free(c->pos);
    free(c->positions);
    free(c->func);
    free(c->global);
    free(c->local);
    free(c->switches);
    free(c->cases);
    free(c->literal);
    free(c->label);
    free(c->image);
    free(c->image_tag);
    free(c->tls);
    free(c->tls_tag);
    free(c->ctor);
    free(c->dtor);
    *c = (struct sn_bytecode){0};
}
