/*
 * draft_lock.c: locks in findings. Their names come from records of their own, so that a lock that
 * is held at a hundred sites is described once. All under the draft's lock.
 */
#include "core/ctx.h"
#include "core/sys.h"
#include "runtime/draft_place.h"
#include "runtime/modules.h"
#include "runtime/sink.h"

enum { SEEN_BITS = 12 }; /* one that was pushed out is written again: the reader takes either */

static uint32_t locks_seen[1u << SEEN_BITS] SN_LARGE, stacks_seen[1u << SEEN_BITS] SN_LARGE;

static bool is_new(uint32_t *table, uint32_t id)
{
    uint32_t *e = &table[id & ((1u << SEEN_BITS) - 1)];
    if (*e == id)
        return false;
    *e = id;
    return true;
}

void sn_draft_locks_forked(void)
{
    for (uint32_t i = 0; i < 1u << SEEN_BITS; i++)
        locks_seen[i] = stacks_seen[i] = 0;
}

static uint16_t frames_of(uint32_t where, sn_frame_ref *out)
{
    uintptr_t pcs[SN_MAX_STACK];
    unsigned n = sn_ctx_stack(where, pcs, SN_MAX_STACK);
    for (unsigned i = 0; i < n; i++)
        out[i] = sn_modules_frame(pcs[i]);
    return (uint16_t)n;
}

static void write_stack(uint32_t where)
{
    static struct {
        struct sn_rec_stack head;
        sn_frame_ref frame[SN_MAX_STACK];
    } r;
    r.head.id = where;
    r.head.nframes = frames_of(where, r.frame);
    sn_sink_write(SN_REC_STACK, &r, sizeof r.head + r.head.nframes * sizeof *r.frame);
}

static void write_info(const struct sn_sync *lock)
{
    static struct {
        struct sn_rec_lock_info head;
        sn_frame_ref frame[SN_MAX_STACK];
    } r;
    struct sn_draft_place p;
    sn_draft_locate(lock->addr, &p);
    if (p.kind != SN_OBJ_HEAP && p.kind != SN_OBJ_STACK)
        return;
    r.head = (struct sn_rec_lock_info){
        .id = lock->id,
        .object_kind = (uint8_t)p.kind,
        .addr = lock->addr,
        .obj_addr = p.block.start,
        .obj_size = p.block.size,
        .obj_ref = p.ref,
        .obj_rsp = p.rsp,
        .obj_rbp = p.rbp,
    };
    if (p.kind == SN_OBJ_HEAP)
        r.head.nframes = frames_of(p.block.where, r.frame);
    sn_sink_write(SN_REC_LOCK_INFO, &r, sizeof r.head + r.head.nframes * sizeof *r.frame);
}

struct sn_rec_lock sn_draft_lock_ref(struct sn_sync *lock, uint32_t id, uint32_t where, bool shared)
{
    struct sn_rec_lock out = {.id = id, .shared = shared, .object = SN_FRAME(SN_NO_MODULE, 0)};
    if (lock->id == id) { /* else it was destroyed since */
        out.addr = lock->addr;
        if (sn_modules_contain(lock->addr))
            out.object = sn_modules_frame(lock->addr);
        else if (is_new(locks_seen, id))
            write_info(lock);
    }
    uintptr_t pc = sn_ctx_pc(where);
    out.taken = pc ? sn_modules_frame(pc) : 0;
    out.stack = where & SN_REC_STACK_IDS;
    if (pc && is_new(stacks_seen, where))
        write_stack(where);
    return out;
}
