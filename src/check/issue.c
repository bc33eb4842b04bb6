/*
 * issue.c: keeps what was found: once per kind, source lines and object. See issue.h.
 */
#include "check/issue.h"

#include <stdlib.h>
#include <string.h>

#include "check/object.h"
#include "check/sync.h"

#define ISSUES_MAX 500u /* a report beyond that helps nobody */

static uint64_t mix(uint64_t h, uint64_t v)
{
    h ^= v + 0x9e3779b97f4a7c15ull + (h << 6) + (h >> 2);
    return h * 0xff51afd7ed558ccdull;
}

static char *copy(const char *s)
{
    char *c = s ? strdup(s) : NULL;
    if (s != NULL && c == NULL)
        abort();
    return c;
}

/* Source line of an instruction, as a number. */
static uint64_t line_of(const struct sn_vm *vm, uint32_t pc)
{
    uint32_t p = pc < vm->code->ninsn ? vm->code->pos[pc] : SN_NONE;
    if (p == SN_NONE)
        return (uint64_t)1 << 63 | pc;
    const struct sn_pos *pos = &vm->code->positions[p];
    return mix(mix(pos->file, pos->function), pos->line);
}

static uint64_t object_key(const struct sn_vm *vm, const struct sn_issue_object *o)
{
    uint64_t h = (uint64_t)o->kind;
    if (o->has_alloc)
        return mix(h, line_of(vm, o->alloc.pc));
    for (const char *p = o->name ? o->name : ""; *p; p++)
        h = mix(h, (unsigned char)*p);
    return h;
}

static void free_issue(struct sn_issue *i)
{
    free(i->text);
    free(i->object.name);
    for (uint32_t k = 0; k < i->nstep; k++)
        free(i->step[k].what);
    for (uint32_t k = 0; k < i->nsite; k++) {
        free(i->site[k].call);
        free(i->site[k].note);
        free(i->site[k].wants);
        for (uint32_t j = 0; j < i->site[k].nlocks; j++)
            free(i->site[k].lock[j].name);
    }
}

void sn_issues_free(struct sn_issues *all)
{
    for (size_t k = 0; k < all->n; k++)
        free_issue(&all->issue[k]);
    free(all->issue);
    memset(all, 0, sizeof *all);
}

/* `x++` against `x++` is told by its writes rather than by its reads. */
static uint32_t writes(const struct sn_issue *i)
{
    uint32_t n = 0;
    for (uint32_t k = 0; i->kind == SN_KIND_DATA_RACE && k < i->nsite; k++)
        n += i->site[k].op == SN_OP_WRITE;
    return n;
}

static int sureness(const struct sn_issue *i)
{
    return i->exact ? 2 : i->by_input;
}

/* Takes the issue over: a new one is kept; a known one is counted, and replaced by a surer sighting. */
static void add(struct sn_vm *vm, struct sn_issue *now)
{
    struct sn_issues *all = vm->issues;
    now->exact = vm->exact;
    now->by_input = !vm->exact && !vm->guessed;
    now->vague_pc = vm->vague_pc;
    now->run = all->run;
    now->hits = 1;
    for (size_t k = 0; k < all->n; k++) {
        struct sn_issue *old = &all->issue[k];
        if (old->key != now->key)
            continue;
        uint64_t hits = old->hits + 1;
        int gain = sureness(now) - sureness(old);
        if (gain > 0 || (gain == 0 && writes(now) > writes(old))) {
            sn_trail_tell(vm, now);
            struct sn_issue was = *old;
            *old = *now;
            *now = was;
        }
        old->hits = hits;
        free_issue(now);
        return;
    }
    if (all->n >= ISSUES_MAX) {
        all->lost++;
        free_issue(now);
        return;
    }
    if (all->n == all->cap) {
        all->cap = all->cap ? all->cap * 2 : 16;
        all->issue = realloc(all->issue, all->cap * sizeof *all->issue);
        if (all->issue == NULL)
            abort();
    }
    sn_trail_tell(vm, now);
    all->issue[all->n++] = *now;
}

/* --- sites --- */

static void set_ancestry(struct sn_vm *vm, struct sn_issue_site *s)
{
    int32_t id = s->task;
    while (id > 0 && (size_t)id < vm->ntask && s->nmade < SN_ISSUE_ANCESTORS) {
        s->made[s->nmade++] = vm->task[id]->made;
        id = vm->task[id]->made.task;
    }
}

static void set_locks(struct sn_vm *vm, struct sn_issue_site *s, uint16_t set)
{
    s->locks_known = set != UINT16_MAX;
    for (; s->locks_known && set != 0 && s->nlocks < SN_ISSUE_LOCKS; set = vm->lockset[set].parent) {
        const struct sn_lockset_node *n = &vm->lockset[set];
        struct sn_issue_lock *l = &s->lock[s->nlocks++];
        *l = (struct sn_issue_lock){sn_object_name(vm, n->addr), n->shared, n->taken.pc, n->taken.ctx};
    }
}

static void role_note(const struct sn_vm *vm, struct sn_issue_site *s)
{
    const char *role = s->task >= 0 && (size_t)s->task < vm->ntask ? vm->task[s->task]->role : NULL;
    if (role != NULL && s->note == NULL)
        s->note = copy(role);
}

static void site_of_task(struct sn_vm *vm, struct sn_issue_site *s, const struct sn_task *t)
{
    s->task = (int32_t)t->id;
    s->pc = t->pc;
    s->ctx = t->ctx;
    set_locks(vm, s, t->locks);
    set_ancestry(vm, s);
    role_note(vm, s);
}

/* The record has the part in one granule; the instruction knows the whole. */
static uint32_t bytes_at(const struct sn_vm *vm, const struct sn_vaccess *a)
{
    const struct sn_insn *i = &vm->code->insn[a->pc];
    if (i->op >= SN_BC_LOAD8 && i->op <= SN_BC_LOAD64)
        return 1u << (i->op - SN_BC_LOAD8);
    if (i->op >= SN_BC_STORE8 && i->op <= SN_BC_STORE64)
        return 1u << (i->op - SN_BC_STORE8);
    return a->flags & SN_ACC_FREE ? 0 : (uint32_t)__builtin_popcount(a->mask);
}

static void site_of_access(struct sn_vm *vm, struct sn_issue_site *s, const struct sn_vaccess *a)
{
    s->task = (int32_t)(a->epoch >> SN_EPOCH_BITS);
    s->pc = a->pc;
    s->ctx = a->ctx;
    s->epoch = a->epoch;
    s->bytes = bytes_at(vm, a);
    s->op = a->flags & SN_ACC_FREE ? SN_OP_FREE : a->flags & SN_ACC_ATOMIC ? SN_OP_ATOMIC
            : a->flags & SN_ACC_WRITE ? SN_OP_WRITE : SN_OP_READ;
    set_locks(vm, s, a->locks);
    set_ancestry(vm, s);
    role_note(vm, s);
}

/* --- data races --- */

static bool told_before(struct sn_vm *vm, uint32_t a, uint32_t b)
{
    uint64_t key = (a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a) << 2 | (vm->exact ? 2 : !vm->guessed);
    uint64_t *slot = &vm->issues->seen[mix(0, key) % SN_ISSUE_SEEN];
    bool known = *slot == key;
    *slot = key;
    return known;
}

void sn_issue_race(struct sn_vm *vm, struct sn_task *t, uint64_t addr, const struct sn_vaccess *now,
                   const struct sn_vaccess *old)
{
    (void)t;
    vm->counts.races_seen++;
    if (told_before(vm, now->pc, old->pc))
        return;
    struct sn_issue i = {.kind = SN_KIND_DATA_RACE, .nsite = 2};
    sn_object_at(vm, addr, &i.object);
    uint64_t a = line_of(vm, old->pc), b = line_of(vm, now->pc);
    i.key = mix(mix(mix(object_key(vm, &i.object), SN_KIND_DATA_RACE), a < b ? a : b), a < b ? b : a);
    site_of_access(vm, &i.site[0], old);
    site_of_access(vm, &i.site[1], now);
    add(vm, &i);
}

/* --- calls under contracts --- */

static void site_of_call(struct sn_vm *vm, struct sn_issue_site *s, const struct sn_issue_call *c)
{
    s->task = (int32_t)(c->epoch >> SN_EPOCH_BITS);
    s->pc = c->pc;
    s->ctx = c->ctx;
    s->epoch = c->epoch;
    s->op = SN_OP_CALL;
    s->call = copy(sn_bytecode_string(vm->code, vm->code->func[c->func].name));
    set_locks(vm, s, c->locks);
    set_ancestry(vm, s);
    role_note(vm, s);
}

void sn_issue_overlap(struct sn_vm *vm, const char *type, const char *file, uint32_t line,
                      const struct sn_issue_call *now, const struct sn_issue_call *old)
{
    if (told_before(vm, now->pc, old->pc))
        return;
    struct sn_issue i = {.kind = SN_KIND_THREAD_SAFETY, .nsite = 2};
    const char *base = strrchr(file, '/');
    uint64_t a = line_of(vm, old->pc), b = line_of(vm, now->pc);
    i.object = (struct sn_issue_object){.kind = SN_OBJ_CONTRACT, .name = copy(type), .file = SN_NONE};
    i.key = mix(mix(mix(object_key(vm, &i.object), SN_KIND_THREAD_SAFETY), a < b ? a : b), a < b ? b : a);
    if (asprintf(&i.text, "contract: %s:%u", base ? base + 1 : file, line) < 0)
        abort();
    site_of_call(vm, &i.site[0], old);
    site_of_call(vm, &i.site[1], now);
    add(vm, &i);
}

/* --- deadlocks --- */

static char *waits_for(struct sn_vm *vm, const struct sn_task *t)
{
    char *note = NULL, *name = t->wait_sync ? sn_object_name(vm, t->wait_sync->addr) : NULL;
    int n;
    switch (t->wait) {
    case SN_WAIT_JOIN:
        n = t->wait_task < vm->ntask ? asprintf(&note, "waits for the end of thread %u", t->wait_task)
                                     : asprintf(&note, "waits for the end of its tasks");
        break;
    case SN_WAIT_COND:
        n = asprintf(&note, "waits for condition `%s`", name);
        break;
    case SN_WAIT_SEM:
        n = asprintf(&note, "waits for semaphore `%s`", name);
        break;
    case SN_WAIT_BARRIER:
        n = asprintf(&note, "waits at barrier `%s`", name);
        break;
    default:
        n = asprintf(&note, "waits for lock `%s`", name ? name : "?");
    }
    free(name);
    if (n < 0)
        abort();
    return note;
}

void sn_issue_deadlock(struct sn_vm *vm, struct sn_task *const *cycle, size_t n, const char *text)
{
    if (vm->vague_entry && n == 1)
        return; /* two unknown locks may be one */
    struct sn_issue i = {.kind = SN_KIND_DEADLOCK, .text = copy(text)};
    uint64_t sum = 0;
    i.object.file = SN_NONE;
    for (size_t k = 0; k < n && k < SN_ISSUE_SITES; k++) {
        struct sn_issue_site *s = &i.site[i.nsite++];
        s->op = SN_OP_LOCK;
        s->note = waits_for(vm, cycle[k]);
        s->wants = cycle[k]->wait_sync ? sn_object_name(vm, cycle[k]->wait_sync->addr) : NULL;
        site_of_task(vm, s, cycle[k]);
        sum += mix(1, line_of(vm, cycle[k]->pc)); /* whoever comes first */
    }
    i.key = mix(sum, SN_KIND_DEADLOCK + (text != NULL));
    add(vm, &i);
}

/* --- misuse --- */

/* The function that an instruction calls, or null; leaving a function is one more. */
static const char *called_at(const struct sn_vm *vm, uint32_t pc)
{
    const struct sn_insn *i = pc < vm->code->ninsn ? &vm->code->insn[pc] : NULL;
    if (i != NULL && i->op == SN_BC_RET)
        return "return";
    bool direct = i != NULL && (i->op == SN_BC_CALLM || i->op == SN_BC_CALLU || i->op == SN_BC_CALL);
    return direct ? sn_bytecode_string(vm->code, vm->code->func[i->b].name) : NULL;
}

static enum sn_op op_at(const struct sn_vm *vm, uint32_t pc)
{
    unsigned op = pc < vm->code->ninsn ? vm->code->insn[pc].op : SN_BC_NOP;
    bool stores = (op >= SN_BC_STORE8 && op <= SN_BC_STOREX) || op == SN_BC_MEMSET || op == SN_BC_MEMCPY;
    return stores ? SN_OP_WRITE : called_at(vm, pc) ? SN_OP_CALL : SN_OP_READ;
}

/* What was done before: the lock, the free, the destruction. */
static void add_earlier(struct sn_vm *vm, struct sn_issue *i, const struct sn_place_of *other, const char *note)
{
    struct sn_issue_site *s = &i->site[i->nsite++];
    const char *call = called_at(vm, other->pc);
    s->task = other->task;
    s->pc = other->pc;
    s->ctx = other->ctx;
    s->op = strstr(note, "freed") ? SN_OP_FREE : strstr(note, "locked") ? SN_OP_LOCK : op_at(vm, other->pc);
    s->call = s->op == SN_OP_CALL ? copy(call ? call : "unknown") : NULL;
    s->note = copy(note);
    set_ancestry(vm, s);
}

void sn_issue_misuse(struct sn_vm *vm, struct sn_task *t, const char *what, const char *call,
                     uint64_t addr, const struct sn_place_of *other, const char *other_note)
{
    bool freed = strstr(what, "free") != NULL;
    if (vm->vague_entry && !freed)
        return; /* bounds and states of invented objects prove nothing */
    struct sn_issue i = {.kind = SN_KIND_MISUSE, .text = copy(what), .nsite = 1};
    i.object.file = SN_NONE;
    if (addr != 0)
        sn_object_at(vm, addr, &i.object);
    site_of_task(vm, &i.site[0], t);
    i.site[0].op = call ? SN_OP_CALL : op_at(vm, t->pc);
    i.site[0].call = copy(call ? call : i.site[0].op == SN_OP_CALL ? called_at(vm, t->pc) : NULL);
    i.key = mix(SN_KIND_MISUSE, line_of(vm, t->pc));
    for (const char *p = what; *p; p++)
        i.key = mix(i.key, (unsigned char)*p);
    if (other != NULL && other->task >= 0)
        add_earlier(vm, &i, other, other_note);
    add(vm, &i);
}

enum sn_result sn_crash(struct sn_vm *vm, struct sn_task *t, const char *what)
{
    if (vm->exact)
        sn_issue_misuse(vm, t, what, NULL, 0, NULL, NULL);
    vm->stop_reason = "crash";
    return SN_END;
}
