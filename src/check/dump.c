/* dump.c: `snag check --dump`: the bytecode in words, with source lines. */
#include <inttypes.h>
#include <string.h>

#include "check/bytecode.h"

enum form { NONE, R, RR, RRR, RI, RRI, RL, RX, RRX, RRRX, RRIX, MEM, J, JR, JRR, JRI, SW, CALL, CALLI };

static const uint8_t forms[] = {
#define SN_OPCODE(name, form) form,
#include "check/opcode.def"
#undef SN_OPCODE
};

static void print_switch(const struct sn_bytecode *c, uint32_t index, FILE *out)
{
    const struct sn_switch *s = &c->switches[index];
    for (uint32_t k = 0; k < s->n; k++)
        fprintf(out, " %" PRIu64 "→%u", c->cases[s->first + k].value, c->cases[s->first + k].target);
    fprintf(out, " else→%u", s->other);
}

static void print_callee(const struct sn_bytecode *c, const struct sn_insn *i, FILE *out)
{
    fprintf(out, " r%u, %s, r%u… (%u)", i->a, i->b < c->nfunc ? sn_bytecode_string(c, c->func[i->b].name) : "?",
            i->c, SN_CALL_ARGS(i->x));
}

static void print_operands(const struct sn_bytecode *c, const struct sn_insn *i, FILE *out)
{
    int32_t imm = (int32_t)i->c;
    switch (forms[i->op]) {
    case R: fprintf(out, " r%u", i->a); break;
    case RR: fprintf(out, " r%u, r%u", i->a, i->b); break;
    case RRR: fprintf(out, " r%u, r%u, r%u", i->a, i->b, i->c); break;
    case RI: fprintf(out, " r%u, %d", i->a, imm); break;
    case RRI: fprintf(out, " r%u, r%u, %d", i->a, i->b, imm); break;
    case RL: fprintf(out, " r%u, %" PRIu64, i->a, c->literal[i->b].v); break;
    case RX: fprintf(out, " r%u, #%u", i->a, i->x); break;
    case RRX: fprintf(out, " r%u, r%u, #%u", i->a, i->b, i->x); break;
    case RRRX: fprintf(out, " r%u, r%u, r%u, #%u", i->a, i->b, i->c, i->x); break;
    case RRIX: fprintf(out, " r%u, r%u, %d, #%u", i->a, i->b, imm, i->x); break;
    case MEM: fprintf(out, " r%u, [r%u%+d]", i->a, i->b, imm); break;
    case J: fprintf(out, " →%u", i->a); break;
    case JR: fprintf(out, " r%u →%u", i->b, i->a); break;
    case JRR: fprintf(out, " r%u, r%u →%u", i->b, i->c, i->a); break;
    case JRI: fprintf(out, " r%u, %d →%u", i->b, imm, i->a); break;
    case SW:
        fprintf(out, " r%u", i->b);
        print_switch(c, i->c, out);
        break;
    case CALL: print_callee(c, i, out); break;
    case CALLI: fprintf(out, " r%u, [r%u], r%u… (%u)", i->a, i->b, i->c, SN_CALL_ARGS(i->x)); break;
    default: break;
    }
}

static void print_function(const struct sn_bytecode *c, const struct sn_func *f, FILE *out)
{
    uint32_t line = 0;
    fprintf(out, "%s: %u parameters, %u registers, %u constants, %u bytes of frame\n",
            sn_bytecode_string(c, f->name), f->nparams, f->nregs, f->nconst, f->frame_bytes);
    for (uint32_t k = 0; k < f->nconst; k++) {
        const struct sn_reg *r = &c->literal[f->const_first + k];
        fprintf(out, "        r%u = %s%" PRIu64 "\n", f->const_base + k, r->u ? "uninterpreted " : "", r->v);
    }
    for (uint32_t pc = f->entry; pc < f->end; pc++) {
        const struct sn_pos *p = c->pos[pc] != SN_NONE ? &c->positions[c->pos[pc]] : NULL;
        fprintf(out, "%7u %-12s", pc, sn_opcode_name(c->insn[pc].op));
        print_operands(c, &c->insn[pc], out);
        if (p != NULL && p->line != line)
            fprintf(out, "  ; %s:%u", sn_bytecode_string(c, p->file), p->line);
        line = p ? p->line : line;
        fputc('\n', out);
    }
    fputc('\n', out);
}

void sn_bytecode_dump(const struct sn_bytecode *c, FILE *out)
{
    for (size_t i = 0; i < c->nglobal; i++)
        fprintf(out, "%s%s: %u bytes at 0x%x\n", c->global[i].thread_local_var ? "thread-local " : "",
                sn_bytecode_string(c, c->global[i].name), c->global[i].bytes, c->global[i].addr);
    for (size_t i = 0; i < c->nfunc; i++)
        if (c->func[i].entry != SN_NONE)
            print_function(c, &c->func[i], out);
}
