/* rules.c: see rules.h. */
#include "check/rules.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "check/issue.h"
#include "check/object.h"
#include "check/strategy.h"
#include "check/sync.h"

#define BUCKETS 256u
#define TOUCHES 12u       /* calls remembered per object; the oldest goes first */
#define MADE_BYTES 64u    /* of an object that a library makes: nobody looks inside */
#define HIDDEN_BASE 0x100 /* pseudo addresses of hidden states */

struct touch {
    uint32_t epoch, pc, ctx, func;
    uint16_t does, conflicts, locks;
};

struct object {
    struct object *next; /* of its bucket */
    uint64_t addr;
    uint32_t type;
    int32_t owner, span; /* tasks, -1 nobody */
    struct touch owned, begun;
    uint64_t marks; /* bits of modes */
    uint64_t root;  /* the object that it was made from, 0 unknown */
    uint32_t n;
    struct touch touch[TOUCHES];
};

struct sn_rules {
    const struct sn_contracts *c;
    uint32_t *first, *count; /* by function: its rules, in `rule` */
    uint8_t *maker;          /* by function: it makes objects */
    uint32_t *rule;
    size_t nrule, cap_rule;
    struct object *bucket[BUCKETS]; /* of the run; in its arena */
};

/* --- binding --- */

static void *grown(void *p, size_t n, size_t *cap, size_t size)
{
    if (n < *cap)
        return p;
    *cap = *cap ? *cap * 2 : 64;
    p = realloc(p, *cap * size);
    if (p == NULL)
        abort();
    return p;
}

/* "g_hash_table_new" and "g_hash_table_insert" begin alike, and so do "gzopen" and "gzread". */
static size_t prefix_length(const char *name)
{
    const char *bar = strchr(name, '_');
    size_t n = 0;
    if (bar != NULL && bar > name && bar - name < 10)
        return (size_t)(bar - name) + 1;
    while (islower((unsigned char)name[n]) && n < 3)
        n++;
    return n < 2 ? SIZE_MAX : n;
}

static bool is_libc(const struct sn_contract_lib *l)
{
    return l->nsonames > 0 && strncmp(l->soname[0], "libc.", 5) == 0;
}

static bool same_library(const struct sn_contracts *c, const char *name)
{
    size_t n = prefix_length(name);
    for (size_t k = 0; n != SIZE_MAX && k < c->nrules; k++)
        if (!is_libc(&c->lib[c->rule[k].lib]) && strncmp(c->rule[k].function, name, n) == 0 &&
            prefix_length(c->rule[k].function) == n)
            return true;
    return false;
}

static bool has_word(const char *name, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = strstr(name, word); p != NULL; p = strstr(p + 1, word))
        if (!islower((unsigned char)p[n]) || p == name)
            return true;
    return false;
}

static bool is_maker(const struct sn_contracts *c, const char *name)
{
    static const char *const words[] = {"new",     "New",     "open", "Open", "create",
                                        "Create",  "alloc",   "init", "Init", "prepare",
                                        "compile", "connect", "dup",  "copy", "parse"};
    bool any = false;
    for (size_t k = 0; k < sizeof words / sizeof *words && !any; k++)
        any = has_word(name, words[k]);
    return any && same_library(c, name);
}

static bool is_exempt(const struct sn_contracts *c, const char *name)
{
    for (size_t k = 0; k < c->nrules; k++)
        if (c->rule[k].exempt && strcmp(c->rule[k].function, name) == 0)
            return true;
    return false;
}

static void bind_function(struct sn_rules *r, uint32_t f, const char *name)
{
    const struct sn_contracts *c = r->c;
    r->first[f] = (uint32_t)r->nrule;
    for (size_t k = 0; k < c->nrules; k++) {
        if (c->lib[c->rule[k].lib].wrong_libc || strcmp(c->rule[k].function, name) != 0)
            continue;
        r->rule = grown(r->rule, r->nrule, &r->cap_rule, sizeof *r->rule);
        r->rule[r->nrule++] = (uint32_t)k;
        r->count[f]++;
    }
    if (r->count[f] > 0 && is_exempt(c, name))
        r->count[f] = 0;
    r->maker[f] = is_maker(c, name);
}

struct sn_rules *sn_rules_bind(const struct sn_bytecode *code, const struct sn_contracts *c)
{
    struct sn_rules *r = c != NULL && c->nrules > 0 ? calloc(1, sizeof *r) : NULL;
    if (r == NULL)
        return NULL;
    r->c = c;
    r->first = calloc(code->nfunc + 1, sizeof *r->first);
    r->count = calloc(code->nfunc + 1, sizeof *r->count);
    r->maker = calloc(code->nfunc + 1, 1);
    if (r->first == NULL || r->count == NULL || r->maker == NULL)
        abort();
    bool any = false;
    for (uint32_t f = 0; f < code->nfunc; f++) {
        if (code->func[f].entry != SN_NONE)
            continue;
        bind_function(r, f, sn_bytecode_string(code, code->func[f].name));
        any |= r->count[f] > 0 || r->maker[f];
    }
    if (any)
        return r;
    sn_rules_free(r);
    return NULL;
}

void sn_rules_free(struct sn_rules *r)
{
    if (r == NULL)
        return;
    free(r->first);
    free(r->count);
    free(r->maker);
    free(r->rule);
    free(r);
}

void sn_rules_reset(struct sn_rules *r)
{
    if (r != NULL)
        memset(r->bucket, 0, sizeof r->bucket);
}

bool sn_rules_know(const struct sn_vm *vm, uint32_t func)
{
    return vm->rules != NULL && func != SN_NONE &&
           (vm->rules->count[func] > 0 || vm->rules->maker[func]);
}

/* --- objects --- */

static struct object *object_at(struct sn_vm *vm, uint64_t addr, uint32_t type)
{
    struct object **slot = &vm->rules->bucket[(addr * 31 + type) % BUCKETS];
    for (struct object *o = *slot; o != NULL; o = o->next)
        if (o->addr == addr && o->type == type)
            return o;
    struct object *o = sn_run_arena_take(&vm->arena, sizeof *o);
    o->addr = addr;
    o->type = type;
    o->owner = o->span = -1;
    o->next = *slot;
    return *slot = o;
}

/* The object that was made at that address, whatever its type is called. */
static struct object *made_at(struct sn_vm *vm, uint64_t addr)
{
    return object_at(vm, addr, UINT32_MAX);
}

struct place {
    bool known;
    uint64_t addr;
    uint32_t type;
};

static uint64_t pointer_at(const struct sn_vm *vm, uint64_t addr, bool *known)
{
    *known = sn_range_ok(&vm->mem, addr, 8) && sn_range_tags(&vm->mem, addr, 8) == 0;
    uint64_t v = 0;
    if (*known)
        memcpy(&v, sn_mem(&vm->mem, addr), 8);
    return v;
}

/* Calls on some objects are calls on the object that they belong to. */
static void go_to_root(struct sn_vm *vm, struct place *p)
{
    const struct sn_contracts *c = vm->rules->c;
    for (unsigned depth = 0; p->known && depth < 4 && c->type[p->type].map != SN_MAP_NONE;
         depth++) {
        const struct sn_contract_type *type = &c->type[p->type];
        uint64_t root = made_at(vm, p->addr)->root; /* what a library made has no known fields */
        if (!root && type->map == SN_MAP_LOAD)
            root = pointer_at(vm, p->addr + (uint64_t)type->map_value, &p->known);
        size_t k = 0;
        while (k < c->ntypes &&
               (c->type[k].lib != type->lib || strcmp(c->type[k].name, type->root) != 0))
            k++;
        p->known &= root != 0 && k < c->ntypes;
        p->addr = root;
        p->type = (uint32_t)k;
    }
}

static struct place place_of(struct sn_vm *vm, const struct sn_contract_effect *e,
                             const struct sn_reg *arg, unsigned n)
{
    struct place p = {.type = e->object};
    if (e->arg == 0) {
        p.known = true;
        p.addr = HIDDEN_BASE + e->object;
        return p;
    }
    if (e->arg > n || arg[e->arg - 1].u != 0 || arg[e->arg - 1].v < SN_ADDR_LOW)
        return p;
    p.addr = arg[e->arg - 1].v;
    p.known = true;
    if (e->load)
        p.addr = pointer_at(vm, p.addr, &p.known);
    p.known &= p.addr >= SN_ADDR_LOW;
    go_to_root(vm, &p);
    return p;
}

/* --- conditions --- */

static bool test_holds(const struct sn_contract_effect *e, const struct sn_reg *arg, unsigned n)
{
    if (e->test == SN_TEST_NONE)
        return true;
    if (e->test_arg == 0 || e->test_arg > n || arg[e->test_arg - 1].u != 0)
        return false;
    int64_t v = (int64_t)arg[e->test_arg - 1].v;
    switch (e->test) {
    case SN_TEST_EQ:
        return v == e->value;
    case SN_TEST_NE:
        return v != e->value;
    case SN_TEST_AND:
        return (v & e->value) != 0;
    default:
        return (v & e->value) == 0;
    }
}

static bool mode_holds(struct sn_vm *vm, const struct sn_contract_effect *e, const struct place *p)
{
    if (e->mode == 0)
        return true;
    if (vm->rules->c->mode[e->mode - 1].kind != SN_MODE_MARK || e->mode > 64)
        return false; /* asked at run time: not known here */
    bool marked = made_at(vm, p->addr)->marks >> (e->mode - 1) & 1;
    return marked != e->mode_not;
}

/* --- what calls do --- */

static struct touch touch_now(const struct sn_task *t, uint32_t func,
                              const struct sn_contract_effect *e)
{
    return (struct touch){t->epoch, t->pc, t->ctx, func, e->does, e->conflicts, t->locks};
}

static void tell(struct sn_vm *vm, const struct object *o, const struct touch *now,
                 const struct touch *old, const struct sn_contract_rule *rule)
{
    const struct sn_contracts *c = vm->rules->c;
    sn_issue_overlap(vm, c->type[o->type].name, c->lib[rule->lib].file, rule->effect.line,
                     &(struct sn_issue_call){now->epoch, now->pc, now->ctx, now->func, now->locks},
                     &(struct sn_issue_call){old->epoch, old->pc, old->ctx, old->func, old->locks});
}

static bool ordered(const struct sn_task *t, const struct touch *old)
{
    return old->epoch >> SN_EPOCH_BITS == t->id || sn_vclock_knows(&t->clock, old->epoch);
}

static void touch(struct sn_vm *vm, struct sn_task *t, struct object *o, uint32_t func,
                  const struct sn_contract_rule *rule)
{
    struct touch now = touch_now(t, func, &rule->effect);
    struct touch *slot = NULL;
    for (uint32_t k = 0; k < o->n; k++) {
        struct touch *old = &o->touch[k];
        bool conflict = old->conflicts & now.does || now.conflicts & old->does;
        if (conflict && !ordered(t, old))
            tell(vm, o, &now, old, rule);
        if (old->epoch >> SN_EPOCH_BITS == t->id && old->does == now.does &&
            old->conflicts == now.conflicts)
            slot = old;
    }
    if (slot == NULL && o->n < TOUCHES)
        slot = &o->touch[o->n++];
    if (slot == NULL) {
        memmove(o->touch, o->touch + 1, sizeof o->touch - sizeof o->touch[0]);
        slot = &o->touch[TOUCHES - 1];
    }
    *slot = now;
}

/* A span of another thread is open: this one begins too early. */
static void begin_span(struct sn_vm *vm, struct sn_task *t, struct object *o, uint32_t func,
                       const struct sn_contract_rule *rule)
{
    struct touch now = touch_now(t, func, &rule->effect);
    if (o->span >= 0 && o->span != (int32_t)t->id)
        tell(vm, o, &now, &o->begun, rule);
    o->span = (int32_t)t->id;
    o->begun = now;
}

static void only_owner(struct sn_vm *vm, struct sn_task *t, struct object *o, uint32_t func,
                       const struct sn_contract_rule *rule)
{
    struct touch now = touch_now(t, func, &rule->effect);
    if (o->owner >= 0 && o->owner != (int32_t)t->id)
        tell(vm, o, &now, &o->owned, rule);
}

/* The library's own lock, at the object's address. */
static enum sn_result lock_act(struct sn_vm *vm, struct sn_task *t, struct object *o,
                               enum sn_contract_act act)
{
    bool shared = act == SN_ACT_ACQUIRE_SHARED || act == SN_ACT_RELEASE_SHARED;
    struct sn_vsync *s = sn_vsync_at(vm, o->addr, SN_VSYNC_RWLOCK);
    if (act == SN_ACT_RELEASE || act == SN_ACT_RELEASE_SHARED) {
        if (sn_held_by(s, t)) {
            sn_lock_give(vm, t, s);
            sn_wake_all(vm, s);
        }
        return SN_DONE;
    }
    if (s->owner == (int32_t)t->id)
        return SN_DONE; /* whether it may be taken twice, the contract does not say */
    return sn_lock_or_wait(vm, t, s, shared);
}

static bool is_lock(const struct sn_contract_effect *e)
{
    return e->act >= SN_ACT_ACQUIRE && e->act <= SN_ACT_RELEASE_SHARED;
}

static enum sn_result apply(struct sn_vm *vm, struct sn_task *t, uint32_t func,
                            const struct sn_contract_rule *rule, const struct place *p)
{
    struct object *o = object_at(vm, p->addr, p->type);
    switch (rule->effect.act) {
    case SN_ACT_ACQUIRE:
    case SN_ACT_ACQUIRE_SHARED:
    case SN_ACT_RELEASE:
    case SN_ACT_RELEASE_SHARED:
        return lock_act(vm, t, o, rule->effect.act);
    case SN_ACT_BEGIN:
        begin_span(vm, t, o, func, rule);
        break;
    case SN_ACT_END:
        if (o->span == (int32_t)t->id)
            o->span = -1;
        break;
    case SN_ACT_ONLY:
        only_owner(vm, t, o, func, rule);
        break;
    case SN_ACT_OWN:
        o->owner = (int32_t)t->id;
        o->owned = touch_now(t, func, &rule->effect);
        break;
    case SN_ACT_MARK:
        break; /* the object does not exist yet: sn_rules_after() */
    default:
        if (vm->concurrent)
            touch(vm, t, o, func, rule);
        if (rule->effect.act == SN_ACT_DESTROY)
            o->owner = o->span = -1;
    }
    return SN_DONE;
}

static const struct sn_reg *arguments(const struct sn_task *t, const struct sn_insn *i)
{
    return t->reg + t->act[t->nact - 1].base + i->c;
}

enum sn_result sn_rules_before(struct sn_vm *vm, struct sn_task *t, const struct sn_insn *i,
                               uint32_t func)
{
    const struct sn_rules *r = vm->rules;
    for (uint32_t k = 0; k < r->count[func]; k++) {
        const struct sn_contract_rule *rule = &r->c->rule[r->rule[r->first[func] + k]];
        const struct sn_contract_effect *e = &rule->effect;
        const struct sn_reg *arg = arguments(t, i);
        struct place p = place_of(vm, e, arg, SN_CALL_ARGS(i->x));
        bool modelled = is_lock(e) && vm->code->func[func].model >= 0; /* the model does it */
        if (!p.known || modelled || sn_contract_is_order(e) || (e->load && e->act == SN_ACT_OWN) ||
            !test_holds(e, arg, SN_CALL_ARGS(i->x)) || !mode_holds(vm, e, &p))
            continue;
        if (is_lock(e) && t->phase == 0) {
            t->pending = (struct sn_visible){{p.addr, 0}, true};
            if (sn_at_point(vm, t))
                return SN_POINT;
        }
        if (apply(vm, t, func, rule, &p) == SN_BLOCK)
            return SN_BLOCK;
    }
    return SN_DONE;
}

/* --- objects that a library makes --- */

static uint64_t make_object(struct sn_vm *vm, const struct sn_reg *arg, unsigned n)
{
    uint64_t at = sn_simmem_take(&vm->mem, MADE_BYTES, 16, SN_UNKNOWN);
    if (at != 0 && n > 0 && arg[0].u == 0 && arg[0].v >= SN_ADDR_LOW)
        made_at(vm, at)->root = arg[0].v;
    return at;
}

/* Where the call leaves the object that it makes: a pointer variable, or a part of a structure that
 * is still empty. */
static bool is_out_pointer(const struct sn_vm *vm, struct sn_reg arg, bool opens)
{
    struct sn_issue_object o = {0};
    bool known;
    if (arg.u != 0 || arg.v % 8 != 0 || !sn_range_ok(&vm->mem, arg.v, 8) ||
        sn_range_tags(&vm->mem, arg.v, 8) & SN_TAG_BAD)
        return false;
    sn_object_at(vm, arg.v, &o);
    bool literal = o.kind == SN_OBJ_GLOBAL && (o.name == NULL || strcmp(o.name, "string literal") == 0);
    free(o.name);
    bool empty = pointer_at(vm, arg.v, &known) == 0;
    return !literal && ((o.bytes == 8 && o.offset == 0) || (opens && empty));
}

static void mark_made(struct sn_vm *vm, struct sn_task *t, uint32_t func, const struct sn_reg *arg,
                      unsigned n, unsigned which, uint64_t at)
{
    const struct sn_rules *r = vm->rules;
    for (uint32_t k = 0; k < r->count[func]; k++) {
        const struct sn_contract_effect *e = &r->c->rule[r->rule[r->first[func] + k]].effect;
        if (!e->load || e->arg != which || !test_holds(e, arg, n))
            continue;
        if (e->act == SN_ACT_MARK && e->mode > 0 && e->mode <= 64)
            made_at(vm, at)->marks |= 1ull << (e->mode - 1);
        if (e->act == SN_ACT_OWN) {
            struct object *o = object_at(vm, at, e->object);
            o->owner = (int32_t)t->id;
            o->owned = touch_now(t, func, e);
        }
    }
}

void sn_rules_after(struct sn_vm *vm, struct sn_task *t, const struct sn_insn *i, uint32_t func,
                    struct sn_reg *result)
{
    unsigned n = SN_CALL_ARGS(i->x);
    const struct sn_reg *arg = arguments(t, i);
    const char *name = sn_bytecode_string(vm->code, vm->code->func[func].name);
    bool opens = strstr(name, "open") || strstr(name, "prepare") || strstr(name, "create");
    if (!vm->rules->maker[func])
        return;
    for (unsigned k = 0; k < n; k++) {
        if (!is_out_pointer(vm, arg[k], opens))
            continue;
        uint64_t at = make_object(vm, arg, k > 0 ? 1 : 0);
        if (at == 0)
            return;
        sn_store_slow(vm, t, arg[k], 8, SN_ACC_WRITE, (struct sn_reg){at, 0});
        mark_made(vm, t, func, arg, n, k + 1, at);
    }
    if (result != NULL && vm->code->func[func].is_pointer_result) {
        uint64_t at = make_object(vm, arg, n);
        if (at != 0)
            *result = (struct sn_reg){at, 0};
    }
}
