/*
 * finding.c: names of the enumerations, ownership, and the frame that stands for a stack.
 */
#include "store/finding.h"

#include <errno.h>
#include <string.h>

#include "store/xalloc.h"

static const char *const kind_names[SN_KIND_COUNT] = {
    [SN_KIND_DATA_RACE] = "data-race",   [SN_KIND_THREAD_SAFETY] = "thread-safety-violation",
    [SN_KIND_DEADLOCK] = "deadlock",     [SN_KIND_LOCK_ORDER] = "lock-order",
    [SN_KIND_ORDER] = "order-violation", [SN_KIND_ATOMICITY] = "atomicity-violation",
    [SN_KIND_MISUSE] = "misuse",
};

static const char *const status_names[SN_STATUS_COUNT] = {
    [SN_CANDIDATE] = "candidate",
    [SN_PREDICTED] = "predicted",
    [SN_OBSERVED] = "observed",
    [SN_CONFIRMED] = "confirmed",
};

static const char *const op_names[SN_OP_COUNT] = {
    [SN_OP_READ] = "read", [SN_OP_WRITE] = "write", [SN_OP_ATOMIC] = "atomic",
    [SN_OP_FREE] = "free", [SN_OP_LOCK] = "lock",   [SN_OP_CALL] = "call",
};

static const char *const object_names[] = {
    [SN_OBJ_UNKNOWN] = "unknown", [SN_OBJ_GLOBAL] = "global", [SN_OBJ_HEAP] = "heap",
    [SN_OBJ_STACK] = "stack",     [SN_OBJ_TLS] = "tls",       [SN_OBJ_CONTRACT] = "contract",
    [SN_OBJ_LOCK] = "lock",
};

const char *sn_kind_name(enum sn_kind k)
{
    return (unsigned)k < SN_KIND_COUNT ? kind_names[k] : "unknown";
}

const char *sn_status_name(enum sn_status s)
{
    return (unsigned)s < SN_STATUS_COUNT ? status_names[s] : "unknown";
}

const char *sn_op_name(enum sn_op op)
{
    return (unsigned)op < SN_OP_COUNT ? op_names[op] : "unknown";
}

const char *sn_object_kind_name(enum sn_object_kind k)
{
    return (unsigned)k <= SN_OBJ_LOCK ? object_names[k] : "unknown";
}

int sn_kind_parse(const char *s, enum sn_kind *k)
{
    for (unsigned i = 0; i < SN_KIND_COUNT; i++) {
        if (!strcmp(s, kind_names[i])) {
            *k = (enum sn_kind)i;
            return 0;
        }
    }
    return -EINVAL;
}

int sn_status_parse(const char *s, enum sn_status *st)
{
    for (unsigned i = 0; i < SN_STATUS_COUNT; i++) {
        if (!strcmp(s, status_names[i])) {
            *st = (enum sn_status)i;
            return 0;
        }
    }
    return -EINVAL;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* A gcc-built program with ThreadSanitizer loads the runtime under libtsan's name. */
bool sn_module_is_snag(const char *path)
{
    if (!path)
        return false;
    const char *base = base_name(path);
    return !strncmp(base, "libsnag", 7) || !strncmp(base, "libtsan.so", 10);
}

static bool is_system_header(const char *file)
{
    return !strncmp(file, "/usr/include/", 13) || !strncmp(file, "/usr/lib/", 9) ||
           !strncmp(file, "/usr/local/include/", 19);
}

bool sn_frame_is_system(const struct sn_frame *f)
{
    if (f->file)
        return is_system_header(f->file);
    return f->module && (!strncmp(base_name(f->module), "libstdc++.so", 12) ||
                         !strncmp(base_name(f->module), "libc++.so", 9));
}

/* Where debug information of the system is installed, even the start of a thread has a line. */
static bool is_libc(const char *module)
{
    const char *base = module ? base_name(module) : "";
    return !strncmp(base, "libc.so", 7) || !strncmp(base, "libpthread", 10) ||
           !strncmp(base, "ld-linux", 8);
}

const struct sn_frame *sn_stack_frame(const struct sn_stack *s)
{
    const struct sn_frame *with_file = NULL;
    for (size_t i = 0; i < s->n; i++) {
        const struct sn_frame *f = &s->frame[i];
        if (!f->file || sn_module_is_snag(f->module) || is_libc(f->module))
            continue;
        if (!is_system_header(f->file))
            return f;
        if (!with_file)
            with_file = f;
    }
    if (with_file)
        return with_file;
    return s->n ? &s->frame[0] : NULL;
}

const struct sn_frame *sn_site_frame(const struct sn_site *s)
{
    return sn_stack_frame(&s->stack);
}

static void frame_clear(struct sn_frame *f)
{
    free(f->function);
    free(f->file);
    free(f->module);
}

void sn_stack_clear(struct sn_stack *s)
{
    for (size_t i = 0; i < s->n; i++)
        frame_clear(&s->frame[i]);
    free(s->frame);
    *s = (struct sn_stack){0};
}

void sn_frame_copy(struct sn_frame *to, const struct sn_frame *from)
{
    *to = *from;
    to->function = sn_xstrdup(from->function);
    to->file = sn_xstrdup(from->file);
    to->module = sn_xstrdup(from->module);
}

void sn_stack_copy(struct sn_stack *to, const struct sn_stack *from)
{
    to->n = from->n;
    to->frame = from->n ? sn_xcalloc(from->n, sizeof *to->frame) : NULL;
    for (size_t i = 0; i < from->n; i++)
        sn_frame_copy(&to->frame[i], &from->frame[i]);
}

void sn_object_clear(struct sn_object *o)
{
    free(o->name);
    free(o->member);
    free(o->file);
    sn_stack_clear(&o->alloc);
    *o = (struct sn_object){0};
}

void sn_site_clear(struct sn_site *s)
{
    free(s->call);
    free(s->note);
    free(s->wants);
    for (size_t i = 0; i < s->nlocks; i++) {
        free(s->locks[i].name);
        sn_stack_clear(&s->locks[i].taken);
        sn_stack_clear(&s->locks[i].alloc);
    }
    free(s->locks);
    sn_stack_clear(&s->stack);
    sn_stack_clear(&s->created);
    *s = (struct sn_site){0};
}

void sn_finding_clear(struct sn_finding *f)
{
    free(f->engine);
    free(f->title);
    free(f->effect);
    free(f->text);
    free(f->key);
    sn_object_clear(&f->object);
    for (size_t i = 0; i < f->nsites; i++)
        sn_site_clear(&f->sites[i]);
    free(f->sites);
    for (size_t i = 0; i < f->nsteps; i++) {
        free(f->steps[i].what);
        frame_clear(&f->steps[i].at);
    }
    free(f->steps);
    *f = (struct sn_finding){0};
}

struct sn_finding *sn_findings_add(struct sn_findings *all)
{
    all->f = sn_xgrow(all->f, all->n, &all->cap, sizeof *all->f);
    struct sn_finding *f = &all->f[all->n++];
    *f = (struct sn_finding){.harmful = -1};
    return f;
}

void sn_findings_free(struct sn_findings *all)
{
    for (size_t i = 0; i < all->n; i++)
        sn_finding_clear(&all->f[i]);
    free(all->f);
    *all = (struct sn_findings){0};
}
