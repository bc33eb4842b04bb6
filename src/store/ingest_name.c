/*
 * ingest_name.c: names for code, locks and objects. Names are stable: made of variables and
 * functions, not of addresses; a lock's serial number is the last resort.
 */
#include "store/ingest_process.h"

#include <ctype.h>
#include <string.h>

#include "store/utf8.h"
#include "store/xalloc.h"

const struct sn_ingest_module *sn_ingest_module_of(const struct sn_ingest_process *p,
                                                   sn_frame_ref ref)
{
    unsigned index = SN_FRAME_MODULE(ref);
    return index < p->nmodules && p->module[index].known ? &p->module[index] : NULL;
}

sn_frame_ref sn_ingest_ref(const struct sn_ingest_process *p, uint64_t addr)
{
    for (size_t i = 0; i < p->nmodules; i++) {
        const struct sn_ingest_module *m = &p->module[i];
        if (m->known && addr >= m->start && addr < m->end)
            return SN_FRAME(i, addr - m->base);
    }
    return SN_FRAME(SN_NO_MODULE, addr);
}

static struct sn_frame *add_frame(struct sn_stack *out)
{
    out->frame = sn_xrealloc(out->frame, out->n + 1, sizeof *out->frame);
    struct sn_frame *f = &out->frame[out->n++];
    *f = (struct sn_frame){0};
    return f;
}

/* snag's own frames are nobody's business: on top, and where it stands between a library and the function that the
 * library calls back. A code position in no known module: generated code. Its address says nothing in another run. */
void sn_ingest_stack(struct sn_ingest_process *p, const sn_frame_ref *refs, size_t n,
                     struct sn_stack *out)
{
    for (size_t i = 0; i < n; i++) {
        const struct sn_ingest_module *m = sn_ingest_module_of(p, refs[i]);
        if (m && m->snag)
            continue;
        size_t before = out->n;
        if (m)
            sn_symbol_code(p->symbols, m->handle, SN_FRAME_OFFSET(refs[i]), true, out);
        else
            add_frame(out);
        for (size_t k = before; m && k < out->n; k++) {
            if (!out->frame[k].module)
                out->frame[k].module = sn_xstrdup(m->name);
        }
    }
}

/* Parts of a library's type are not parts of the program: m.__data.__lock is m, and a std::mutex's
 * _M_mutex is the mutex. Such names are reserved for the implementation. */
static void cut_reserved(char *path)
{
    for (char *p = path; (p = strchr(p, '.')); p++) {
        if (p[1] == '_' && (p[2] == '_' || isupper((unsigned char)p[2]))) {
            *p = '\0';
            return;
        }
    }
}

/* "table.lock[3]", or the variable's name when its type is not known; null when there is none. */
static char *variable_path(struct sn_ingest_process *p, sn_frame_ref ref,
                           struct sn_object *variable)
{
    const struct sn_ingest_module *m = sn_ingest_module_of(p, ref);
    if (!m || sn_symbol_data(p->symbols, m->handle, SN_FRAME_OFFSET(ref), variable))
        return NULL;
    char *path = sn_symbol_member(p->symbols, m->handle, SN_FRAME_OFFSET(ref));
    return path ? path : sn_xstrdup(variable->name);
}

static char *global_lock_name(struct sn_ingest_process *p, sn_frame_ref ref)
{
    struct sn_object variable = {0};
    char *path = variable_path(p, ref, &variable);
    if (path)
        cut_reserved(path);
    sn_object_clear(&variable);
    return path;
}

static const struct sn_run_lock_info *find_lock(const struct sn_ingest_process *p, uint32_t id)
{
    size_t low = 0, high = p->nlocks;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (p->lock[mid].head->id < id)
            low = mid + 1;
        else
            high = mid;
    }
    return low < p->nlocks && p->lock[low].head->id == id ? &p->lock[low] : NULL;
}

static const struct sn_run_stack *find_stack(const struct sn_ingest_process *p, uint32_t id)
{
    size_t low = 0, high = p->nstacks;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (p->stack[mid].head->id < id)
            low = mid + 1;
        else
            high = mid;
    }
    return low < p->nstacks && p->stack[low].head->id == id ? &p->stack[low] : NULL;
}

void sn_ingest_lock_stacks(struct sn_ingest_process *p, const struct sn_rec_lock *l,
                           struct sn_held_lock *out)
{
    const struct sn_run_stack *taken = l->stack ? find_stack(p, l->stack) : NULL;
    const struct sn_run_lock_info *info = find_lock(p, l->id);
    if (taken && taken->head->nframes)
        sn_ingest_stack(p, taken->frames, taken->head->nframes, &out->taken);
    else if (l->taken)
        sn_ingest_stack(p, &l->taken, 1, &out->taken);
    if (info && info->head->object_kind == SN_OBJ_HEAP)
        sn_ingest_stack(p, info->alloc, info->head->nframes, &out->alloc);
}

static char *function_words(const struct sn_stack *s, const char *before)
{
    const struct sn_frame *at = sn_stack_frame(s);
    if (!at || !at->function)
        return NULL;
    return sn_xformat("%s%s%s", before, at->function, strchr(at->function, '(') ? "" : "()");
}

static char *heap_lock_name(struct sn_ingest_process *p, const struct sn_run_lock_info *info)
{
    struct sn_stack alloc = {0};
    sn_ingest_stack(p, info->alloc, info->head->nframes, &alloc);
    char *name = function_words(&alloc, "lock in heap block from ");
    sn_stack_clear(&alloc);
    return name;
}

static char *stack_lock_name(struct sn_ingest_process *p, const struct sn_rec_lock_info *h)
{
    const struct sn_ingest_module *m = sn_ingest_module_of(p, h->obj_ref);
    struct sn_object local = {0};
    if (!m || sn_symbol_local(p->symbols, m->handle, SN_FRAME_OFFSET(h->obj_ref), h->obj_rsp,
                              h->obj_rbp, h->addr, &local))
        return NULL;
    char *name = sn_xstrdup(local.name);
    sn_object_clear(&local);
    return name;
}

static char *recorded_lock_name(struct sn_ingest_process *p, uint32_t id)
{
    const struct sn_run_lock_info *info = find_lock(p, id);
    if (!info)
        return NULL;
    if (info->head->object_kind == SN_OBJ_HEAP)
        return heap_lock_name(p, info);
    return info->head->object_kind == SN_OBJ_STACK ? stack_lock_name(p, info->head) : NULL;
}

char *sn_ingest_lock_at(struct sn_ingest_process *p, uint64_t addr)
{
    return global_lock_name(p, sn_ingest_ref(p, addr));
}

char *sn_ingest_lock_name(struct sn_ingest_process *p, const struct sn_rec_lock *l)
{
    char *name = global_lock_name(p, l->object);
    if (!name)
        name = recorded_lock_name(p, l->id);
    if (!name)
        name = sn_ingest_lock_at(p, l->addr);
    return name ? name : sn_xformat("lock #%u", l->id);
}

/* ---- objects ---- */

/* The accessed byte, when the address is in the module that the record names; else what it names.
 */
static sn_frame_ref access_ref(struct sn_ingest_process *p, const struct sn_rec_finding *h)
{
    sn_frame_ref at = sn_ingest_ref(p, h->access_addr);
    return SN_FRAME_MODULE(at) == SN_FRAME_MODULE(h->obj_ref) ? at : h->obj_ref;
}

static void set_member(struct sn_object *o, char *path)
{
    size_t n = o->name ? strlen(o->name) : 0;
    cut_reserved(path);
    if (n && !strncmp(path, o->name, n) && path[n]) {
        const char *rest = path + n + (path[n] == '.');
        o->member = sn_xstrdup(rest);
    }
    free(path);
}

static void describe_global(struct sn_ingest_process *p, const struct sn_rec_finding *h,
                            struct sn_object *o)
{
    char *path = variable_path(p, access_ref(p, h), o);
    if (path)
        set_member(o, path);
    else
        o->size = h->obj_size;
}

static void describe_heap(struct sn_ingest_process *p, const struct sn_run_finding *raw,
                          struct sn_object *o)
{
    const struct sn_rec_finding *h = raw->head;
    sn_ingest_stack(p, raw->alloc, h->obj_nframes, &o->alloc);
    o->size = h->obj_size;
    o->freed = h->obj_freed != 0;
    o->has_offset = h->access_addr >= h->obj_addr && h->access_addr - h->obj_addr < h->obj_size;
    o->offset = o->has_offset ? h->access_addr - h->obj_addr : 0;
    char *where = function_words(&o->alloc, " allocated in ");
    o->name = sn_xformat("heap block of %llu byte%s%s", (unsigned long long)h->obj_size,
                         h->obj_size == 1 ? "" : "s", where ? where : "");
    free(where);
    const struct sn_frame *at = sn_stack_frame(&o->alloc);
    if (at && at->file) {
        o->file = sn_xstrdup(at->file);
        o->line = at->line;
    }
}

static void describe_stack(struct sn_ingest_process *p, const struct sn_rec_finding *h,
                           struct sn_object *o)
{
    const struct sn_ingest_module *m = sn_ingest_module_of(p, h->obj_ref);
    if (m)
        sn_symbol_local(p->symbols, m->handle, SN_FRAME_OFFSET(h->obj_ref), h->obj_rsp, h->obj_rbp,
                        h->access_addr, o);
    if (!o->name)
        o->size = h->obj_size;
}

static void describe_tls(struct sn_ingest_process *p, const struct sn_rec_finding *h,
                         struct sn_object *o)
{
    const struct sn_ingest_module *m = sn_ingest_module_of(p, h->obj_ref);
    if (m)
        sn_symbol_tls(p->symbols, m->handle, SN_FRAME_OFFSET(h->obj_ref), o);
    if (!o->name)
        o->size = h->obj_size;
}

/* The runtime names such an object in the finding's text: the part before a colon. */
static void describe_contract(const struct sn_run_finding *raw, struct sn_object *o)
{
    size_t n = raw->head->text_bytes;
    const char *colon = memchr(raw->text, ':', n);
    o->name = sn_utf8_clean(raw->text, colon ? (size_t)(colon - raw->text) : n, true);
    if (!*o->name) {
        free(o->name);
        o->name = NULL;
    }
}

static void describe_lock(struct sn_ingest_process *p, const struct sn_rec_finding *h,
                          struct sn_object *o)
{
    o->name = global_lock_name(p, h->obj_ref);
    if (!o->name)
        o->name = sn_ingest_lock_at(p, h->obj_addr);
    o->size = h->obj_size;
}

void sn_ingest_object(struct sn_ingest_process *p, const struct sn_run_finding *raw,
                      struct sn_object *o)
{
    const struct sn_rec_finding *h = raw->head;
    *o = (struct sn_object){0};
    switch ((enum sn_object_kind)h->object_kind) {
    case SN_OBJ_UNKNOWN:
        break;
    case SN_OBJ_GLOBAL:
        describe_global(p, h, o);
        break;
    case SN_OBJ_HEAP:
        describe_heap(p, raw, o);
        break;
    case SN_OBJ_STACK:
        describe_stack(p, h, o);
        break;
    case SN_OBJ_TLS:
        describe_tls(p, h, o);
        break;
    case SN_OBJ_CONTRACT:
        describe_contract(raw, o);
        break;
    case SN_OBJ_LOCK:
        describe_lock(p, h, o);
        break;
    }
    o->kind = (enum sn_object_kind)h->object_kind;
}
