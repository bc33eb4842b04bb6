/* sync.c: synchronisation objects, their clocks, and lock sets. See sync.h. */
#include "check/sync.h"

#include <stdlib.h>
#include <string.h>

#include "check/issue.h"

#define SLOTS 1024u

void sn_vsync_init(struct sn_vm *vm)
{
    vm->cap_sync = SLOTS;
    vm->sync = calloc(SLOTS, sizeof *vm->sync);
    vm->cap_lockset = 256;
    vm->lockset = calloc(vm->cap_lockset, sizeof *vm->lockset);
    if (vm->sync == NULL || vm->lockset == NULL)
        abort();
    vm->nlockset = 1;
}

void sn_vsync_reset(struct sn_vm *vm)
{
    for (struct sn_vsync *s = vm->sync_list; s != NULL; s = s->list_next)
        vm->sync[s->addr / 4 % SLOTS] = NULL;
    vm->sync_list = NULL;
    vm->nlockset = 1;
}

void sn_vsync_free(struct sn_vm *vm)
{
    free(vm->sync);
    free(vm->lockset);
}

struct sn_vsync *sn_vsync_find(struct sn_vm *vm, uint64_t addr, enum sn_vsync_kind kind)
{
    for (struct sn_vsync *s = vm->sync[(uint32_t)addr / 4 % SLOTS]; s != NULL; s = s->next)
        if (s->addr == addr && s->kind == kind)
            return s;
    return NULL;
}

struct sn_vsync *sn_vsync_at(struct sn_vm *vm, uint64_t addr, enum sn_vsync_kind kind)
{
    struct sn_vsync *s = sn_vsync_find(vm, addr, kind);
    if (s != NULL)
        return s;
    s = sn_run_arena_take(&vm->arena, sizeof *s);
    s->addr = (uint32_t)addr;
    s->kind = kind;
    s->owner = -1;
    s->next = vm->sync[s->addr / 4 % SLOTS];
    vm->sync[s->addr / 4 % SLOTS] = s;
    s->list_next = vm->sync_list;
    vm->sync_list = s;
    if (sn_range_ok(&vm->mem, addr, 1))
        *sn_dirty(&vm->mem, addr) |= SN_DIRTY_SYNC;
    return s;
}

static void unlink_sync(struct sn_vm *vm, struct sn_vsync *gone)
{
    struct sn_vsync **link = &vm->sync[gone->addr / 4 % SLOTS];
    while (*link != gone)
        link = &(*link)->next;
    *link = gone->next;
}

static bool any_sync(struct sn_vm *vm, uint64_t addr, uint64_t bytes)
{
    for (uint64_t page = addr >> 12; bytes > 0 && page <= (addr + bytes - 1) >> 12; page++)
        if (vm->mem.base[SN_DIRTY + page] & SN_DIRTY_SYNC)
            return true;
    return false;
}

void sn_vsync_gone(struct sn_vm *vm, struct sn_task *t, uint64_t addr, uint64_t bytes)
{
    if (!any_sync(vm, addr, bytes))
        return;
    for (struct sn_vsync **link = &vm->sync_list; *link != NULL;) {
        struct sn_vsync *s = *link;
        if (s->addr < addr || s->addr >= addr + bytes) {
            link = &s->list_next;
            continue;
        }
        bool lock = s->kind == SN_VSYNC_MUTEX || s->kind == SN_VSYNC_RWLOCK;
        if (lock && (s->owner >= 0 || s->nreader > 0))
            sn_issue_misuse(vm, t, "lock is freed while it is held", NULL, s->addr, &s->taken, "locked here");
        unlink_sync(vm, s);
        *link = s->list_next;
    }
}

void sn_vsync_acquire(struct sn_vm *vm, struct sn_task *t, const struct sn_vclock *from)
{
    sn_vclock_join(&vm->arena, &t->clock, from);
}

void sn_vsync_release(struct sn_vm *vm, struct sn_task *t, struct sn_vclock *to)
{
    sn_vclock_join(&vm->arena, to, &t->clock);
    sn_task_tick(vm, t);
}

void sn_vsync_publish(struct sn_vm *vm, struct sn_task *t, struct sn_vclock *to)
{
    sn_vclock_copy(&vm->arena, to, &t->clock);
    sn_task_tick(vm, t);
}

/* --- lock sets: a chain of (lock, where taken), newest first; 0 is the empty one --- */

#define LOCKSET_MAX UINT16_MAX /* that number stands for "no longer known" */

static uint16_t lockset_add(struct sn_vm *vm, uint16_t set, const struct sn_lockset_node *node)
{
    if (set == LOCKSET_MAX)
        return LOCKSET_MAX;
    for (size_t i = vm->nlockset; i-- > 1 && i + 64 > vm->nlockset;) { /* the same again: very often */
        const struct sn_lockset_node *n = &vm->lockset[i];
        if (n->parent == set && n->addr == node->addr && n->taken.pc == node->taken.pc &&
            n->taken.ctx == node->taken.ctx && n->taken.task == node->taken.task && n->shared == node->shared)
            return (uint16_t)i;
    }
    if (vm->nlockset == LOCKSET_MAX)
        return LOCKSET_MAX;
    if (vm->nlockset == vm->cap_lockset) {
        vm->cap_lockset *= 2;
        vm->lockset = realloc(vm->lockset, vm->cap_lockset * sizeof *vm->lockset);
        if (vm->lockset == NULL)
            abort();
    }
    vm->lockset[vm->nlockset] = *node;
    vm->lockset[vm->nlockset].parent = set;
    return (uint16_t)vm->nlockset++;
}

static uint16_t lockset_remove(struct sn_vm *vm, uint16_t set, uint32_t addr)
{
    if (set == 0 || set == LOCKSET_MAX)
        return set;
    struct sn_lockset_node node = vm->lockset[set];
    if (node.addr == addr)
        return node.parent;
    return lockset_add(vm, lockset_remove(vm, node.parent, addr), &node);
}

/* --- locks --- */

static bool reads(const struct sn_vsync *s, const struct sn_task *t)
{
    for (uint32_t i = 0; i < s->nreader; i++)
        if (s->reader[i] == t->id)
            return true;
    return false;
}

bool sn_held_by(const struct sn_vsync *s, const struct sn_task *t)
{
    return s->owner == (int32_t)t->id || reads(s, t);
}

bool sn_lock_free_for(const struct sn_vsync *s, const struct sn_task *t, bool shared)
{
    (void)t;
    return s->owner < 0 && (shared || s->nreader == 0);
}

static void add_reader(struct sn_vm *vm, struct sn_vsync *s, uint32_t id)
{
    if (s->nreader == s->cap_reader) {
        s->cap_reader = s->cap_reader ? s->cap_reader * 2 : 4;
        uint32_t *r = sn_run_arena_take(&vm->arena, s->cap_reader * sizeof *r);
        if (s->nreader > 0)
            memcpy(r, s->reader, s->nreader * sizeof *r);
        s->reader = r;
    }
    s->reader[s->nreader++] = id;
}

void sn_lock_take(struct sn_vm *vm, struct sn_task *t, struct sn_vsync *s, bool shared)
{
    struct sn_lockset_node node = {0, shared, s->addr, sn_task_place(t)};
    sn_vsync_acquire(vm, t, &s->clock);
    if (shared) {
        add_reader(vm, s, t->id);
    } else {
        sn_vsync_acquire(vm, t, &s->read_clock);
        s->owner = (int32_t)t->id;
        s->depth = 1;
    }
    s->taken = node.taken;
    t->locks = lockset_add(vm, t->locks, &node);
}

static void drop_reader(struct sn_vsync *s, uint32_t id)
{
    for (uint32_t i = 0; i < s->nreader; i++) {
        if (s->reader[i] == id) {
            s->reader[i] = s->reader[--s->nreader];
            return;
        }
    }
}

void sn_lock_give(struct sn_vm *vm, struct sn_task *t, struct sn_vsync *s)
{
    if (s->owner == (int32_t)t->id) {
        s->owner = -1;
        s->depth = 0;
        sn_vsync_publish(vm, t, &s->clock);
    } else {
        drop_reader(s, t->id);
        sn_vsync_release(vm, t, &s->read_clock);
    }
    t->locks = lockset_remove(vm, t->locks, s->addr);
    sn_wake_all(vm, s);
}

void sn_wake_all(struct sn_vm *vm, const struct sn_vsync *s)
{
    for (size_t i = 0; i < vm->ntask; i++) {
        struct sn_task *w = vm->task[i];
        if (w->state == SN_BLOCKED && w->wait_sync == s)
            sn_task_wake(vm, w);
    }
}

static bool waits_on(const struct sn_task *w, const struct sn_vsync *s, enum sn_wait wait)
{
    return w->state == SN_BLOCKED && w->wait_sync == s && w->wait == wait;
}

struct sn_task *sn_pick_waiter(struct sn_vm *vm, const struct sn_vsync *s, enum sn_wait wait)
{
    uint64_t n = 0;
    for (size_t i = 0; i < vm->ntask; i++)
        n += waits_on(vm->task[i], s, wait);
    uint64_t chosen = sn_choose(vm, n);
    for (size_t i = 0; n > 0 && i < vm->ntask; i++)
        if (waits_on(vm->task[i], s, wait) && chosen-- == 0)
            return vm->task[i];
    return NULL;
}

enum sn_result sn_lock_wait(struct sn_vm *vm, struct sn_task *t, struct sn_vsync *s)
{
    sn_task_block(vm, t, SN_WAIT_LOCK, s, 0);
    if (!t->timed)
        sn_deadlock_check(vm, t);
    return SN_BLOCK;
}

enum sn_result sn_lock_or_wait(struct sn_vm *vm, struct sn_task *t, struct sn_vsync *s, bool shared)
{
    if (s->owner == (int32_t)t->id || !sn_lock_free_for(s, t, shared))
        return sn_lock_wait(vm, t, s);
    sn_lock_take(vm, t, s, shared);
    return SN_DONE;
}
