/*
 * code.c: the frames of a code address. The unit gives the line table row, the function's DIE and
 * the inlined calls below it that hold the address: the innermost call stands at the row's
 * position, every outer one at the place where the next inner one was called. What has been looked
 * up is kept.
 */
#include "symbol/module.h"

#include <dwarf.h>

#include "store/xalloc.h"
#include "symbol/walk.h"

/* Inlined calls in each other, innermost last. */
struct chain {
    uint64_t pc;
    Dwarf_Die die[SN_WALK_DEPTH];
    int depth; /* of the last */
    int n;
};

static bool add_inlined(Dwarf_Die *die, const struct sn_walk *walk, void *arg)
{
    struct chain *chain = arg;
    switch (dwarf_tag(die)) {
    case DW_TAG_inlined_subroutine:
        /* A second one beside the last would not be its caller: the first stays. */
        if (walk->depth <= chain->depth || !sn_scope_holds(die, chain->pc))
            return false;
        chain->depth = walk->depth;
        chain->die[chain->n++] = *die;
        return true;
    case DW_TAG_lexical_block:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
        return sn_scope_holds(die, chain->pc);
    default:
        return false;
    }
}

static struct sn_frame *push(struct sn_code_frames *out)
{
    out->frame = sn_xrealloc(out->frame, out->n + 1, sizeof *out->frame);
    struct sn_frame *frame = &out->frame[out->n++];
    *frame = (struct sn_frame){0};
    return frame;
}

static void set_row(struct sn_frame *frame, struct sn_unit *unit, uint64_t pc)
{
    Dwarf_Line *row = dwarf_getsrc_die(&unit->cu, pc);
    int line, column;
    if (!row || dwarf_lineno(row, &line) != 0 || line <= 0)
        return;
    frame->file = sn_source_path(&unit->cu, dwarf_linesrc(row, NULL, NULL));
    if (!frame->file)
        return;
    frame->line = line;
    if (dwarf_linecol(row, &column) == 0 && column > 0)
        frame->column = column;
}

static void set_call(struct sn_frame *frame, Dwarf_Die *inlined)
{
    frame->file = sn_die_file(inlined, DW_AT_call_file);
    if (!frame->file)
        return;
    frame->line = sn_die_number(inlined, DW_AT_call_line);
    frame->column = sn_die_number(inlined, DW_AT_call_column);
}

static void add_function(struct sn_module *m, struct sn_unit *unit, Dwarf_Die *function,
                         uint64_t pc, struct sn_code_frames *out)
{
    struct chain *chain = sn_xcalloc(1, sizeof *chain);
    chain->pc = pc;
    sn_walk(function, add_inlined, chain);
    struct sn_frame *frame = push(out);
    set_row(frame, unit, pc);
    while (chain->n > 0) {
        Dwarf_Die *inlined = &chain->die[--chain->n];
        frame->function = sn_xstrdup(sn_function_name(m, inlined));
        frame->inlined = true;
        frame = push(out);
        set_call(frame, inlined);
    }
    frame->function = sn_xstrdup(sn_function_name(m, function));
    free(chain);
}

static void look_up(struct sn_module *m, uint64_t pc, struct sn_code_frames *out)
{
    Dwarf_Die function;
    struct sn_unit *unit = sn_unit_at(m, pc);
    if (unit && sn_unit_function(unit, pc, &function))
        add_function(m, unit, &function, pc, out);
    else
        push(out);
    struct sn_frame *last = &out->frame[out->n - 1];
    if (out->n == 1 && unit && !last->file)
        set_row(last, unit, pc);
    if (!last->function) {
        const char *symbol = sn_elfsym_code(m, pc);
        last->function = symbol ? sn_demangle(symbol) : NULL;
    }
}

const struct sn_code_frames *sn_code_at(struct sn_module *m, uint64_t pc)
{
    uint32_t at;
    if (sn_map_get(&m->code_cache, pc, &at))
        return &m->code[at];
    m->code = sn_xgrow(m->code, m->ncode, &m->code_cap, sizeof *m->code);
    m->code[m->ncode] = (struct sn_code_frames){0};
    look_up(m, pc, &m->code[m->ncode]);
    sn_map_put(&m->code_cache, pc, m->ncode);
    return &m->code[m->ncode++];
}

void sn_code_free(struct sn_module *m)
{
    for (size_t i = 0; i < m->ncode; i++) {
        for (size_t k = 0; k < m->code[i].n; k++) {
            free(m->code[i].frame[k].function);
            free(m->code[i].frame[k].file);
        }
        free(m->code[i].frame);
    }
    free(m->code);
    sn_map_free(&m->code_cache);
}
