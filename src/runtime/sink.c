/*
 * sink.c: the run file. It is mapped shared and grows by fallocate(), so that a full disk is an
 * error code here and not a SIGBUS in the program. The descriptor is kept at a high number, out of
 * the way of programs that count on low ones; one that closes everything only stops the file from
 * growing until it is opened again by name.
 */
#include "sink.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

#include "core/count.h"
#include "core/decimal.h"
#include "core/spin.h"
#include "core/sys.h"

enum {
    WINDOW = 64 << 20, /* the most that one process can say */
    FIRST = 16 << 10,  /* a process that finds nothing leaves no more than this */
    STEP = 256 << 10,
    HIGH_FD = 600,
};

static struct {
    struct sn_run_header *h; /* null: no file */
    char path[4096];
    char dir[3072];
    char engine[16];
    uint64_t allocated; /* bytes of the file that exist; under lock */
    uint64_t inode;
    int fd; /* under lock */
} sink = {.fd = -1};
static uint32_t lock SN_HOT; /* of the file's growing */

static uint64_t dropped_counters[SN_RUN_COUNTERS];

static char *put_text(char *to, const char *end, const char *s)
{
    while (*s && to < end)
        *to++ = *s++;
    *to = 0;
    return to;
}

static char *put_number(char *to, const char *end, uint64_t v)
{
    char digits[SN_DECIMAL];
    sn_decimal(digits, v);
    return put_text(to, end, digits);
}

static int grow(uint64_t to)
{
    uint64_t most = sn_file_limit(), needed = to;
    to = to <= FIRST ? FIRST : (to + STEP - 1) / STEP * STEP;
    if (to > most) /* as far as it goes */
        to = most & ~(uint64_t)7;
    if (to < needed || to > WINDOW)
        return 0;
    struct stat st;
    if (sink.fd < 0 || sn_sys2(SYS_fstat, sink.fd, &st) < 0 || st.st_ino != sink.inode)
        sink.fd = (int)sn_sys3(SYS_open, sink.path, O_RDWR | O_CLOEXEC, 0);
    if (sink.fd < 0)
        return 0;
    long r = sn_sys4(SYS_fallocate, sink.fd, 0, 0, to);
    if (r == -95 /* EOPNOTSUPP: no reservation there, the file can still be made longer */)
        r = sn_sys2(SYS_ftruncate, sink.fd, to);
    if (r < 0)
        return 0;
    sink.allocated = to;
    return 1;
}

static int create(void)
{
    char *end = sink.path + sizeof sink.path - 1;
    for (unsigned n = 0; n < 10000; n++) {
        char *p = put_text(sink.path, end, sink.dir);
        p = put_text(p, end, "/");
        p = put_number(p, end, (uint64_t)sn_sys0(SYS_getpid));
        p = put_text(p, end, ".");
        p = put_number(p, end, n);
        put_text(p, end, ".run");
        long fd = sn_sys3(SYS_open, sink.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
        if (fd == -17 /* EEXIST: an earlier program of this process */)
            continue;
        return (int)fd;
    }
    return -1;
}

static int to_high(int fd)
{
    long high = sn_sys3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, HIGH_FD);
    if (high < 0)
        return fd;
    sn_sys1(SYS_close, fd);
    return (int)high;
}

static void fill_process(struct sn_run_header *h)
{
    struct timespec now;
    sn_sys2(SYS_clock_gettime, CLOCK_REALTIME, &now);
    h->pid = (uint32_t)sn_sys0(SYS_getpid);
    h->ppid = (uint32_t)sn_sys0(SYS_getppid);
    h->start_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void fill_header(struct sn_run_header *h)
{
    h->version = SN_RUN_VERSION;
    h->header_bytes = SN_RUN_HEADER_BYTES;
    fill_process(h);
    __builtin_memcpy(h->engine, sink.engine, sizeof h->engine);
    long n = sn_sys3(SYS_readlink, "/proc/self/exe", h->exe, sizeof h->exe - 1);
    h->exe[n > 0 ? n : 0] = 0;
    __atomic_store_n(&h->magic, SN_RUN_MAGIC, __ATOMIC_RELEASE);
}

static void open_file(void)
{
    struct stat st;
    int fd = create();
    if (fd < 0)
        return;
    sink.fd = to_high(fd);
    sink.inode = sn_sys2(SYS_fstat, sink.fd, &st) < 0 ? 0 : st.st_ino;
    if (!grow(SN_RUN_HEADER_BYTES))
        return;
    long p = sn_sys6(SYS_mmap, 0, WINDOW, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                     sink.fd, 0);
    if ((unsigned long)p >= (unsigned long)-4095)
        return;
    sink.h = (struct sn_run_header *)p;
    fill_header(sink.h);
    sn_counters = sink.h->counters;
}

void sn_sink_open(const char *dir, const char *engine)
{
    if (!dir || !*dir)
        return;
    put_text(sink.dir, sink.dir + sizeof sink.dir - 1, dir);
    put_text(sink.engine, sink.engine + sizeof sink.engine - 1, engine);
    open_file();
}

void sn_sink_forked(void)
{
    if (!sink.h)
        return;
    uint32_t instrumented = sink.h->instrumented;
    sn_counters = dropped_counters;
    sn_unmap(sink.h, WINDOW);
    if (sink.fd >= 0)
        sn_sys1(SYS_close, sink.fd);
    sink.h = 0;
    sink.fd = -1;
    sink.allocated = 0;
    lock = 0;
    open_file();
    if (sink.h)
        sink.h->instrumented = instrumented;
}

void sn_sink_share(void)
{
    if (sink.h)
        grow(STEP); /* once for all of them */
}

void sn_sink_shared(void)
{
    if (sink.h)
        fill_process(sink.h);
}

void sn_sink_state(enum sn_run_state state)
{
    if (sink.h)
        sink.h->state = state;
}

void sn_sink_instrumented(void)
{
    if (sink.h)
        sink.h->instrumented = 1;
}

/* A pending record with room for the payload; null: none (counted). */
static struct sn_rec *reserve(size_t bytes)
{
    struct sn_run_header *h = sink.h;
    size_t whole = (sizeof(struct sn_rec) + bytes + 7) & ~(size_t)7;
    if (!h)
        return 0;
    sn_spin_lock(&lock);
    uint64_t at = SN_RUN_HEADER_BYTES + h->reserved;
    /* Eight bytes more, so that the reader always finds the end mark. */
    if (at + whole + 8 > sink.allocated && !grow(at + whole + 8)) {
        sn_spin_unlock(&lock);
        sn_count(LOST_SINK);
        return 0;
    }
    struct sn_rec *rec = (struct sn_rec *)((char *)h + at);
    rec->type = SN_REC_PENDING;
    rec->payload_slack = (uint16_t)(whole - sizeof *rec - bytes);
    __atomic_store_n(&rec->bytes, (uint32_t)whole, __ATOMIC_RELEASE);
    h->reserved += whole;
    sn_spin_unlock(&lock);
    return rec;
}

static void commit(struct sn_rec *rec, enum sn_rec_type type)
{
    __atomic_store_n(&rec->type, (uint16_t)type, __ATOMIC_RELEASE); /* pairs with the reader */
}

int sn_sink_write(enum sn_rec_type type, const void *payload, size_t bytes)
{
    struct sn_rec *rec = reserve(bytes);
    if (!rec)
        return -1;
    __builtin_memcpy(rec + 1, payload, bytes);
    commit(rec, type);
    return 0;
}

void *sn_sink_area(uint32_t subtype, size_t bytes)
{
    struct sn_rec *rec = reserve(8 + bytes);
    if (!rec)
        return 0;
    uint32_t *head = (uint32_t *)(rec + 1);
    head[0] = subtype;
    commit(rec, SN_REC_ENGINE);
    return head + 2;
}

const char *sn_sink_dir(void)
{
    return sink.dir;
}

void sn_sink_message(const char *text)
{
    sn_sink_write(SN_REC_MESSAGE, text, __builtin_strlen(text));
}
