/*
 * file.c: the trace on the disk. RUN_DIR/trace.PID.N has the blocks that are full; the block that
 * is being filled is a file too, mapped (RUN_DIR/trace.PID.N.tail), so whatever ends the process,
 * every event is there: the command closes the last block (trace/pack.h).
 *
 * A site of the trace is a calling context; its number is given when it is first used, its callers
 * before it, as the format wants it.
 */
#include "record.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include "core/count.h"
#include "core/ctx.h"
#include "core/ctx_cache.h"
#include "core/decimal.h"
#include "core/sys.h"
#include "runtime/modules.h"
#include "runtime/sink.h"
#include "trace/encode.h"
#include "trace/tail.h"

int sn_file_live;

static struct {
    long fd;
    uint64_t bytes;             /* that are in it */
    struct sn_trace_tail *tail; /* mapped; its block is the encoder's buffer */
    uint32_t *site;             /* by context: the site's number; 0 none yet */
    uint32_t nsites;
    uint32_t module[SN_NO_MODULE]; /* by the runtime's number: 1 + the trace's */
    uint32_t nmodules;
    struct sn_encoder encoder;
} file = {.fd = -1};

static char *put_text(char *p, const char *s)
{
    size_t n = strlen(s);
    memcpy(p, s, n + 1);
    return p + n;
}

static bool write_all(const void *data, size_t bytes)
{
    const char *p = data, *end = p + bytes;
    if (file.bytes + bytes > sn_file_limit())
        return false;
    while (p < end) {
        long n = sn_sys3(SYS_write, file.fd, p, end - p);
        if (n == -4) /* EINTR */
            continue;
        if (n <= 0)
            return false;
        p += n;
    }
    file.bytes += bytes;
    return true;
}

static void give_up(void)
{
    sn_count(LOST_SINK);
    sn_file_live = 0;
}

/* What the command needs to close the block when the process is gone. */
static void note_progress(void)
{
    __atomic_store_n(&file.tail->filled, (uint64_t)file.encoder.events << 32 | file.encoder.used,
                     __ATOMIC_RELEASE);
}

static void begin_block(uint64_t first)
{
    __atomic_store_n(&file.tail->filled, 0, __ATOMIC_RELEASE);
    sn_encode_begin(&file.encoder, file.tail->block, SN_BLOCK_BYTES, first);
    file.tail->first = first;
    note_progress();
}

/* A block that cannot be written stays in the tail: the trace has what was until then. */
static void end_block(void)
{
    uint32_t bytes = sn_encode_end(&file.encoder);
    if (bytes && !write_all(file.tail->block, bytes))
        give_up();
    else
        begin_block(file.encoder.first + file.encoder.events);
}

/* A record that does not fit begins the next block; one that fits no block is left out. */
#define ENCODE(call)                                                                               \
    do {                                                                                           \
        int result = (call);                                                                       \
        if (result == -28) { /* ENOSPC */                                                          \
            end_block();                                                                           \
            result = (call);                                                                       \
        }                                                                                          \
        if (result)                                                                                \
            sn_count(LOST_SINK);                                                                   \
        note_progress();                                                                           \
    } while (0)

/* The disk must have room for what is mapped now: later, its lack would be a SIGBUS. */
static bool has_room(long fd, size_t bytes)
{
    enum { NOT_SUPPORTED = -95 };
    if (bytes > sn_file_limit())
        return false;
    long r = sn_sys4(SYS_fallocate, fd, 0, 0, bytes);
    return r == 0 || (r == NOT_SUPPORTED && sn_sys2(SYS_ftruncate, fd, bytes) == 0);
}

static bool open_pair(char *path)
{
    char *end = path + strlen(path);
    file.fd = sn_sys3(SYS_open, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    file.bytes = 0;
    if (file.fd < 0)
        return false;
    put_text(end, SN_TRACE_TAIL_SUFFIX);
    long fd = sn_sys3(SYS_open, path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), p = -1;
    if (fd >= 0 && has_room(fd, sizeof *file.tail))
        p = sn_sys6(SYS_mmap, 0, sizeof *file.tail, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0)
        sn_sys1(SYS_close, fd);
    file.tail = (unsigned long)p < (unsigned long)-4095 ? (void *)p : 0;
    return file.tail != 0;
}

/* The descriptor is moved out of the program's way. */
static void move_descriptor(void)
{
    long high = sn_sys3(SYS_fcntl, file.fd, F_DUPFD_CLOEXEC, 700);
    if (high < 0)
        return;
    sn_sys1(SYS_close, file.fd);
    file.fd = high;
}

bool sn_file_open(void)
{
    char path[4096 + 64];
    const char *dir = sn_sink_dir();
    uint8_t head[SN_TRACE_HEAD_BYTES];
    if (!*dir || strlen(dir) > 4096)
        return false;
    file.fd = -1;
    for (unsigned n = 0; n < 1000 && file.fd < 0; n++) { /* exec: the same process again */
        char *p = put_text(put_text(path, dir), "/" SN_TRACE_RUN_PREFIX);
        p = sn_decimal(p, (uint64_t)sn_sys0(SYS_getpid));
        sn_decimal(put_text(p, "."), n);
        if (!open_pair(path) && file.fd >= 0)
            return false;
    }
    if (file.fd < 0)
        return false;
    move_descriptor();
    if (!file.site)
        file.site = sn_map(SN_CTX_MAX * sizeof *file.site);
    if (!file.site)
        return false;
    sn_encode_head(head);
    if (!write_all(head, sizeof head))
        return false;
    begin_block(0);
    ENCODE(sn_encode_ops(&file.encoder));
    sn_file_live = 1;
    return true;
}

void sn_file_close(void)
{
    uint8_t last[sizeof(struct sn_block_head)];
    if (!sn_file_live)
        return;
    end_block();
    if (!sn_file_live)
        return;
    sn_encode_last(last, file.encoder.first);
    if (!write_all(last, sizeof last))
        give_up();
    file.tail->closed = 1;
    sn_file_live = 0;
}

/* The child's trace is its own: new file, new numbers. */
void sn_file_forked(void)
{
    if (!sn_file_live)
        return;
    sn_sys1(SYS_close, file.fd);
    sn_sys2(SYS_munmap, file.tail, sizeof *file.tail);
    sn_map_clear(file.site, SN_CTX_MAX * sizeof *file.site);
    memset(file.module, 0, sizeof file.module);
    file.nsites = file.nmodules = 0;
    sn_file_live = 0;
    if (!sn_file_open())
        sn_count(LOST_SINK);
}

void sn_file_event(const struct sn_trace_event *ev)
{
    static const struct sn_trace_range everything = {0, UINT64_MAX};
    if (!sn_file_live)
        return;
    int r = sn_encode_event(&file.encoder, ev);
    if (SN_UNLIKELY(r == -28)) {
        end_block();
        r = sn_encode_event(&file.encoder, ev);
    }
    if (SN_UNLIKELY(r) && ev->ev.op == SN_EV_LEAVE_CODE) { /* more ranges than a block holds */
        struct sn_trace_event all = *ev;
        all.ranges = &everything;
        all.nranges = 1;
        all.flags &= ~(uint32_t)SN_TRACE_ROOTS;
        r = sn_encode_event(&file.encoder, &all);
    }
    if (SN_UNLIKELY(r))
        sn_count(LOST_SINK);
    else
        sn_count(EVENTS);
    note_progress();
}

bool sn_file_back(uint32_t thread, uint32_t site, uint64_t callee)
{
    if (!sn_file_live || !sn_encode_back(&file.encoder, thread, site, callee))
        return false;
    sn_count(EVENTS);
    note_progress();
    return true;
}

void sn_file_name(uintptr_t addr, uint64_t size, const char *name)
{
    struct sn_trace_name n = {(char *)name, addr, size};
    if (sn_file_live)
        ENCODE(sn_encode_name(&file.encoder, &n));
}

/* The trace's number of the module, which is described when it is first used. */
static uint32_t module_of(uint32_t index)
{
    struct sn_module_info m;
    if (index >= SN_NO_MODULE || !sn_modules_info(index, &m))
        return SN_TRACE_NO_MODULE;
    if (!file.module[index]) {
        struct sn_trace_module out = {.path = (char *)m.path,
                                      .build_id_bytes = m.build_id_bytes,
                                      .base = m.base,
                                      .start = m.start,
                                      .end = m.end};
        memcpy(out.build_id, m.build_id, sizeof out.build_id);
        ENCODE(sn_encode_module(&file.encoder, file.nmodules, &out));
        file.module[index] = ++file.nmodules;
    }
    return file.module[index] - 1;
}

static void new_site(uint32_t ctx)
{
    uintptr_t pc = sn_ctx_pc(ctx);
    sn_frame_ref frame = sn_modules_frame(pc);
    uint32_t parent = sn_ctx_parent(ctx);
    struct sn_trace_site s = {.parent = parent ? file.site[parent] : 0,
                              .module = module_of(SN_FRAME_MODULE(frame)),
                              .offset = SN_FRAME_OFFSET(frame)};
    if (s.module == SN_TRACE_NO_MODULE)
        s.where = (char *)"unknown";
    ENCODE(sn_encode_site(&file.encoder, ++file.nsites, &s));
    file.site[ctx] = file.nsites;
}

/* Callers first. */
static SN_NOINLINE uint32_t number_sites(uint32_t ctx)
{
    enum { MOST = 512 };
    uint32_t chain[MOST], n = 0;
    for (uint32_t c = ctx; c && c < SN_CTX_MAX && !file.site[c] && n < MOST; c = sn_ctx_parent(c))
        chain[n++] = c;
    while (n)
        new_site(chain[--n]);
    return ctx < SN_CTX_MAX ? file.site[ctx] : 0;
}

uint32_t sn_file_site(uint32_t ctx)
{
    if (!ctx || !sn_file_live)
        return 0;
    uint32_t site = ctx < SN_CTX_MAX ? file.site[ctx] : 0;
    return SN_LIKELY(site != 0) ? site : number_sites(ctx);
}

bool sn_file_knows(uint32_t ctx)
{
    return ctx < SN_CTX_MAX && file.site[ctx] != 0;
}

uint32_t sn_file_here(struct sn_thread *t, uintptr_t pc)
{
    return pc ? sn_file_site(sn_ctx_site(t, pc)) : 0;
}
