/*
 * table.c: strings and source positions, each kept once.
 */
#include <stdlib.h>
#include <string.h>

#include "check/llvm/llvm.h"

static uint64_t hash_bytes(const void *data, size_t n, uint64_t h)
{
    const uint8_t *p = data;
    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * 0x100000001b3ull;
    return h | 1; /* 0 marks an empty slot */
}

uint32_t sn_lower_string(struct sn_lower *l, const char *s, size_t n)
{
    struct sn_bytecode *c = l->code;
    for (uint64_t h = hash_bytes(s, n, 0xcbf29ce484222325ull);; h += 2) {
        uint32_t *known = sn_lower_map_find(&l->strings, h);
        if (known != NULL && strlen(c->string[*known]) == n && memcmp(c->string[*known], s, n) == 0)
            return *known;
        if (known != NULL)
            continue;
        SN_GROW(c->string, c->nstring, l->cap_string);
        c->string[c->nstring] = strndup(s, n);
        if (c->string[c->nstring] == NULL)
            abort();
        sn_lower_map_put(&l->strings, h, (uint32_t)c->nstring);
        return (uint32_t)c->nstring++;
    }
}

/* Path as the compiler saw it, made absolute by the compilation directory. */
static uint32_t path_string(struct sn_lower *l, const char *dir, unsigned ndir, const char *name,
                            unsigned nname)
{
    if (name == NULL || nname == 0)
        return SN_NONE;
    if (name[0] == '/' || dir == NULL || ndir == 0)
        return sn_lower_string(l, name, nname);
    char *path = malloc(ndir + nname + 2);
    if (path == NULL)
        abort();
    memcpy(path, dir, ndir);
    path[ndir] = '/';
    memcpy(path + ndir + 1, name, nname);
    uint32_t s = sn_lower_string(l, path, ndir + 1 + nname);
    free(path);
    return s;
}

static uint32_t file_string(struct sn_lower *l, LLVMMetadataRef file)
{
    unsigned ndir = 0, nname = 0;
    if (file == NULL)
        return SN_NONE;
    const char *dir = LLVMDIFileGetDirectory(file, &ndir);
    const char *name = LLVMDIFileGetFilename(file, &nname);
    return path_string(l, dir, ndir, name, nname);
}

#define SUBPROGRAM_SCOPE 1 /* operands of a scope's metadata node: its parent */
#define SUBPROGRAM_NAME 2

/* The name of the function that a scope is in: scopes are nested blocks up to a DISubprogram. */
static uint32_t scope_function(struct sn_lower *l, LLVMMetadataRef scope)
{
    LLVMContextRef ctx = LLVMGetModuleContext(l->module);
    for (int depth = 0; scope != NULL && depth < 64; depth++) {
        bool is_function = LLVMGetMetadataKind(scope) == LLVMDISubprogramMetadataKind;
        LLVMValueRef node = LLVMMetadataAsValue(ctx, scope);
        unsigned n = LLVMGetMDNodeNumOperands(node);
        if (n <= SUBPROGRAM_NAME || n > 32)
            return SN_NONE;
        LLVMValueRef op[32];
        LLVMGetMDNodeOperands(node, op);
        if (is_function) {
            unsigned len = 0;
            const char *s = op[SUBPROGRAM_NAME] ? LLVMGetMDString(op[SUBPROGRAM_NAME], &len) : NULL;
            return s ? sn_lower_string(l, s, len) : SN_NONE;
        }
        scope = op[SUBPROGRAM_SCOPE] ? LLVMValueAsMetadata(op[SUBPROGRAM_SCOPE]) : NULL;
    }
    return SN_NONE;
}

static uint32_t keep(struct sn_lower *l, const struct sn_pos *p)
{
    struct sn_bytecode *c = l->code;
    for (uint64_t h = hash_bytes(p, sizeof *p, 0xcbf29ce484222325ull);; h += 2) {
        uint32_t *known = sn_lower_map_find(&l->places, h);
        if (known != NULL && memcmp(&c->positions[*known], p, sizeof *p) == 0)
            return *known;
        if (known != NULL)
            continue;
        SN_GROW(c->positions, c->npositions, l->cap_positions);
        c->positions[c->npositions] = *p;
        sn_lower_map_put(&l->places, h, (uint32_t)c->npositions);
        return (uint32_t)c->npositions++;
    }
}

static uint32_t place_of(struct sn_lower *l, LLVMMetadataRef loc, int depth)
{
    LLVMMetadataRef scope = LLVMDILocationGetScope(loc);
    LLVMMetadataRef at = LLVMDILocationGetInlinedAt(loc);
    struct sn_pos p = {.function = l->f->name, .inlined_at = SN_NONE};
    p.line = LLVMDILocationGetLine(loc);
    p.column = LLVMDILocationGetColumn(loc);
    p.file = file_string(l, scope ? LLVMDIScopeGetFile(scope) : NULL);
    if (at != NULL && depth < 16) {
        p.function = scope_function(l, scope);
        p.inlined_at = place_of(l, at, depth + 1);
    }
    return keep(l, &p);
}

uint32_t sn_lower_place(struct sn_lower *l, LLVMValueRef instruction)
{
    LLVMMetadataRef loc = LLVMInstructionGetDebugLoc(instruction);
    return loc != NULL ? place_of(l, loc, 0) : SN_NONE;
}

void sn_lower_where(struct sn_lower *l, LLVMValueRef global, uint32_t *file, uint32_t *line)
{
    unsigned ndir = 0, nname = 0;
    *line = LLVMGetDebugLocLine(global);
    const char *dir = LLVMGetDebugLocDirectory(global, &ndir);
    const char *name = LLVMGetDebugLocFilename(global, &nname);
    *file = path_string(l, dir, ndir, name, nname);
}
