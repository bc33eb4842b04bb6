/*
 * object.c: what lies at a simulated address: a global, a heap block, a variable of a frame, a
 * thread-local variable.
 */
#include "check/object.h"

#include <stdlib.h>
#include <string.h>

#include "symbol/demangle.h"

static char *must(char *s)
{
    if (s == NULL)
        abort();
    return s;
}

/* clang calls a static variable of a function "function.name". */
static char *global_name(const struct sn_bytecode *c, const struct sn_global *g)
{
    const char *name = sn_bytecode_string(c, g->name), *dot = strchr(name, '.');
    if (strncmp(name, ".str", 4) == 0)
        return must(strdup("string literal"));
    if (dot != NULL && dot != name && dot[1] >= '0' && dot[1] <= '9')
        return must(strndup(name, (size_t)(dot - name))); /* made unique by the linker */
    return sn_demangle(dot != NULL && dot != name ? dot + 1 : name);
}

static bool in_global(const struct sn_vm *vm, uint64_t addr, struct sn_issue_object *o)
{
    const struct sn_bytecode *c = vm->code;
    for (size_t i = 0; i < c->nglobal; i++) {
        const struct sn_global *g = &c->global[i];
        if (g->thread_local_var || addr < g->addr || addr - g->addr >= g->bytes + 1ull)
            continue;
        *o = (struct sn_issue_object){.kind = SN_OBJ_GLOBAL, .name = global_name(c, g), .bytes = g->bytes,
                                      .offset = addr - g->addr, .file = g->file, .line = g->line};
        return true;
    }
    return false;
}

static bool in_heap(const struct sn_vm *vm, uint64_t addr, struct sn_issue_object *o)
{
    struct sn_heap_block *b = sn_heap_at(&vm->mem, addr);
    for (uint64_t back = 1; b == NULL && back <= 16; back++) /* just behind its end */
        b = sn_heap_at(&vm->mem, addr - back);
    if (b == NULL)
        return false;
    *o = (struct sn_issue_object){.kind = SN_OBJ_HEAP, .bytes = b->bytes, .offset = addr - b->addr,
                                  .file = SN_NONE, .has_alloc = true, .alloc = b->made, .freed = b->freed};
    return true;
}

static bool in_frame(const struct sn_vm *vm, const struct sn_activation *a, uint64_t addr,
                     struct sn_issue_object *o)
{
    const struct sn_func *f = &vm->code->func[a->func];
    if (a->mem == 0 || addr < a->mem || addr - a->mem >= f->frame_bytes + 16ull)
        return false;
    for (uint32_t k = f->nlocal; k-- > 0;) {
        const struct sn_local *l = &vm->code->local[f->local_first + k];
        if (addr - a->mem < l->offset)
            continue;
        *o = (struct sn_issue_object){.kind = SN_OBJ_STACK, .bytes = l->bytes,
                                      .offset = addr - a->mem - l->offset, .file = f->file, .line = l->line};
        o->name = l->name != SN_NONE ? must(strdup(sn_bytecode_string(vm->code, l->name))) : NULL;
        return true;
    }
    return false;
}

static bool in_thread_local(const struct sn_vm *vm, const struct sn_task *t, uint64_t addr,
                            struct sn_issue_object *o)
{
    const struct sn_bytecode *c = vm->code;
    if (t->tls == 0 || addr < t->tls || addr - t->tls >= c->tls_bytes)
        return false;
    for (size_t i = 0; i < c->nglobal; i++) {
        const struct sn_global *g = &c->global[i];
        if (!g->thread_local_var || addr - t->tls < g->addr || addr - t->tls - g->addr >= g->bytes)
            continue;
        *o = (struct sn_issue_object){.kind = SN_OBJ_TLS, .name = global_name(c, g), .bytes = g->bytes,
                                      .offset = addr - t->tls - g->addr, .file = g->file, .line = g->line};
        return true;
    }
    return false;
}

static bool in_task(const struct sn_vm *vm, const struct sn_task *t, uint64_t addr, struct sn_issue_object *o)
{
    if (in_thread_local(vm, t, addr, o))
        return true;
    for (size_t k = t->nact; k-- > 0;)
        if (in_frame(vm, &t->act[k], addr, o))
            return true;
    return false;
}

void sn_object_at(const struct sn_vm *vm, uint64_t addr, struct sn_issue_object *o)
{
    *o = (struct sn_issue_object){.kind = SN_OBJ_UNKNOWN, .file = SN_NONE};
    if (in_global(vm, addr, o) || in_heap(vm, addr, o))
        return;
    for (size_t i = 0; i < vm->ntask; i++)
        if (in_task(vm, vm->task[i], addr, o))
            return;
}

char *sn_object_name(const struct sn_vm *vm, uint64_t addr)
{
    struct sn_issue_object o;
    char *out = NULL;
    sn_object_at(vm, addr, &o);
    const char *name = o.name ? o.name : o.kind == SN_OBJ_HEAP ? "heap block" : "memory";
    int n = o.offset != 0 ? asprintf(&out, "%s+%llu", name, (unsigned long long)o.offset)
                          : asprintf(&out, "%s", name);
    free(o.name);
    if (n < 0)
        abort();
    return out;
}
