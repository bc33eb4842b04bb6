/*
 * symbol.c: the modules of a symboliser and the answers that leave this folder: copies that the
 * caller owns. The work is in code.c (frames), data.c (variables with a fixed place), local.c
 * (variables on the stack), elfsym.c (no debug information).
 */
#include "symbol/symbol.h"

#include <ctype.h>
#include <dwarf.h>
#include <errno.h>

#include "store/xalloc.h"
#include "symbol/module.h"

struct sn_symboliser {
    struct sn_module **module;
    size_t n, cap;
};

/* A variable, found by DWARF, by an ELF symbol, or by both. */
struct found {
    Dwarf_Die variable;
    bool has_die, in_function;
    const char *symbol;
    uint64_t offset, size; /* of the address in the variable; of the variable */
};

typedef const struct sn_piece *find_piece(struct sn_module *m, uint64_t at);
typedef const char *find_symbol(struct sn_module *m, uint64_t at, uint64_t *low, uint64_t *size);

struct sn_symboliser *sn_symboliser_new(void)
{
    return sn_xcalloc(1, sizeof(struct sn_symboliser));
}

void sn_symboliser_free(struct sn_symboliser *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->n; i++) {
        sn_module_close(s->module[i]);
        free(s->module[i]);
    }
    free(s->module);
    free(s);
}

static bool is_same(const struct sn_module *m, const char *path, const struct sn_build_id *id)
{
    return strcmp(m->path, path) == 0 && sn_build_id_same(&m->asked, id);
}

int sn_symbol_module(struct sn_symboliser *s, const char *path, const uint8_t *build_id, unsigned n,
                     unsigned *module)
{
    struct sn_build_id id = {.n = n};
    if (n > SN_BUILD_ID_MAX)
        return -EINVAL;
    if (n)
        memcpy(id.bytes, build_id, n);
    for (size_t i = 0; i < s->n; i++) {
        if (is_same(s->module[i], path, &id)) {
            *module = i;
            return 0;
        }
    }
    struct sn_module *m = sn_xcalloc(1, sizeof *m);
    sn_module_open(m, path, &id);
    s->module = sn_xgrow(s->module, s->n, &s->cap, sizeof(struct sn_module *));
    s->module[s->n] = m;
    *module = s->n++;
    return 0;
}

static struct sn_module *module_at(struct sn_symboliser *s, unsigned module)
{
    return module < s->n ? s->module[module] : NULL;
}

static struct sn_frame *add_frame(struct sn_stack *out)
{
    out->frame = sn_xrealloc(out->frame, out->n + 1, sizeof *out->frame);
    struct sn_frame *frame = &out->frame[out->n++];
    *frame = (struct sn_frame){0};
    return frame;
}

void sn_symbol_code(struct sn_symboliser *s, unsigned module, uint64_t offset, bool is_return,
                    struct sn_stack *out)
{
    struct sn_module *m = module_at(s, module);
    if (!m) {
        add_frame(out)->offset = offset;
        return;
    }
    const struct sn_code_frames *found = sn_code_at(m, is_return && offset ? offset - 1 : offset);
    for (size_t i = 0; i < found->n; i++) {
        struct sn_frame *frame = add_frame(out);
        *frame = found->frame[i];
        frame->function = sn_xstrdup(frame->function);
        frame->file = sn_xstrdup(frame->file);
        frame->module = sn_xstrdup(m->file_name);
        frame->offset = offset;
    }
}

void sn_symbol_lines(struct sn_symboliser *s, unsigned module, const char *file, int line,
                     int column, void (*found)(void *arg, uint64_t low, uint64_t high), void *arg)
{
    struct sn_module *m = module_at(s, module);
    if (m)
        sn_module_lines(m, file, line, column, found, arg);
}

unsigned sn_symbol_build_id(struct sn_symboliser *s, unsigned module, uint8_t id[64])
{
    const struct sn_module *m = module_at(s, module);
    if (!m || !m->elf)
        return 0;
    struct sn_build_id now = sn_build_id_of(m->elf);
    memcpy(id, now.bytes, now.n);
    return now.n;
}

static uint64_t size_of(Dwarf_Die *variable)
{
    Dwarf_Die type;
    return sn_die_type(variable, &type) ? sn_type_size(&type) : 0;
}

/* DWARF knows the name and the source; the symbol knows better where the variable ends when its
 * type does not say (a flexible array at the end, an array that is declared without a size). */
static bool find_variable(struct sn_module *m, uint64_t at, find_piece *by_dwarf,
                          find_symbol *by_symbol, struct found *f)
{
    uint64_t low = 0, size = 0;
    const struct sn_piece *piece = by_dwarf(m, at);
    *f = (struct found){.symbol = by_symbol(m, at, &low, &size)};
    if (!piece && f->symbol) {
        piece = by_dwarf(m, low);
        if (piece && piece->low != low)
            piece = NULL;
    }
    if (piece) {
        f->has_die = true;
        f->variable = piece->variable;
        f->in_function = piece->in_function;
        f->offset = at - piece->low + piece->offset;
        f->size = size_of(&f->variable);
        if (f->symbol && piece->low == low && piece->offset == 0 && size > f->size)
            f->size = size;
    } else if (f->symbol) {
        f->offset = at - low;
        f->size = size;
    }
    return piece || f->symbol;
}

/* gcc numbers the static variables of C functions: "calls.0" is `calls`. */
static char *symbol_name(const char *symbol)
{
    char *name = sn_demangle(symbol);
    char *dot = strrchr(name, '.');
    if (dot && dot != name && isdigit((unsigned char)dot[1]) &&
        dot[1 + strspn(dot + 1, "0123456789")] == '\0')
        *dot = '\0';
    return name;
}

static char *name_of(struct found *f)
{
    char *name = f->has_die ? sn_variable_name(&f->variable, f->in_function) : NULL;
    if (!name && f->symbol)
        name = symbol_name(f->symbol);
    return name;
}

/* ".field[3]" for the byte that was found; null when the type is not known. */
static char *path_in(struct found *f)
{
    Dwarf_Die type;
    char *path = NULL;
    size_t bytes;
    if (!f->has_die || !sn_die_type(&f->variable, &type))
        return NULL;
    FILE *out = sn_xcheck(open_memstream(&path, &bytes));
    sn_type_path(&type, f->offset, out);
    fclose(out);
    return sn_xcheck(path);
}

static int set_object(struct found *f, enum sn_object_kind kind, struct sn_object *out)
{
    char *name = name_of(f);
    if (!name)
        return -ENOENT;
    out->kind = kind;
    out->name = name;
    out->size = f->size;
    out->offset = f->offset;
    out->has_offset = true;
    if (f->has_die) {
        out->file = sn_die_file(&f->variable, DW_AT_decl_file);
        out->line = out->file ? sn_die_number(&f->variable, DW_AT_decl_line) : 0;
    }
    return 0;
}

/* As sn_symbol_member() asks for a place in the module, these two bring the member themselves. */
static int set_object_and_member(struct found *f, enum sn_object_kind kind, struct sn_object *out)
{
    int result = set_object(f, kind, out);
    char *path = result == 0 ? path_in(f) : NULL;
    if (path && *path)
        out->member = sn_xstrdup(path + (*path == '.'));
    free(path);
    return result;
}

int sn_symbol_data(struct sn_symboliser *s, unsigned module, uint64_t offset, struct sn_object *out)
{
    struct sn_module *m = module_at(s, module);
    struct found f;
    if (!m || !find_variable(m, offset, sn_variable_data, sn_elfsym_data, &f))
        return -ENOENT;
    return set_object(&f, SN_OBJ_GLOBAL, out);
}

int sn_symbol_tls(struct sn_symboliser *s, unsigned module, uint64_t tls_offset,
                  struct sn_object *out)
{
    struct sn_module *m = module_at(s, module);
    struct found f;
    if (!m || !find_variable(m, tls_offset, sn_variable_tls, sn_elfsym_tls, &f))
        return -ENOENT;
    return set_object_and_member(&f, SN_OBJ_TLS, out);
}

int sn_symbol_local(struct sn_symboliser *s, unsigned module, uint64_t code_offset, uint64_t rsp,
                    uint64_t rbp, uint64_t addr, struct sn_object *out)
{
    struct sn_module *m = module_at(s, module);
    struct sn_local local;
    if (!m || code_offset == 0 || sn_local_at(m, code_offset - 1, rsp, rbp, addr, &local) != 0)
        return -ENOENT;
    struct found f = {.variable = local.variable, .has_die = true, .in_function = true};
    f.offset = local.offset;
    f.size = local.size;
    return set_object_and_member(&f, SN_OBJ_STACK, out);
}

char *sn_symbol_member(struct sn_symboliser *s, unsigned module, uint64_t offset)
{
    struct sn_module *m = module_at(s, module);
    struct found f;
    if (!m || !find_variable(m, offset, sn_variable_data, sn_elfsym_data, &f))
        return NULL;
    char *name = name_of(&f), *path = path_in(&f), *whole = NULL;
    if (name && path)
        whole = sn_xformat("%s%s", name, path);
    free(name);
    free(path);
    return whole;
}
