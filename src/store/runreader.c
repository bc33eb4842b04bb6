/*
 * runreader.c: reads run files into memory (a mapping would fault when a file shrinks) and checks
 * every length before it is used.
 */
#include "store/runreader.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/xalloc.h"

#define MAX_BYTES (1ull << 30) /* more records than any run writes: a damaged header */
#define MAX_HEADER_BYTES (1u << 20)

static int bad(char **why, int err, const char *words)
{
    if (why)
        *why = sn_xstrdup(words);
    return err;
}

static int check_header(const struct sn_run_header *h, size_t bytes, char **why)
{
    if (bytes < sizeof *h)
        return bad(why, -EBADMSG, "it is cut off within its header");
    if (h->magic != SN_RUN_MAGIC)
        return bad(why, -EBADMSG, "it is not a run file, or its header was never written");
    if (h->version != SN_RUN_VERSION)
        return bad(why, -ENOTSUP, "the runtime library and the command are of different versions");
    if (h->header_bytes < sizeof *h || h->header_bytes > MAX_HEADER_BYTES || h->header_bytes % 8)
        return bad(why, -EBADMSG, "its header is damaged");
    return 0;
}

/* How many bytes of records there are to read in a file of `bytes` bytes. */
static size_t record_bytes(struct sn_run_file *f, size_t bytes)
{
    size_t there = bytes > f->header.header_bytes ? bytes - f->header.header_bytes : 0;
    f->cut = f->header.reserved > there;
    size_t want = f->cut ? there : (size_t)f->header.reserved;
    if (want > MAX_BYTES) {
        want = MAX_BYTES;
        f->cut = true;
    }
    return want & ~(size_t)7;
}

static void end_texts(struct sn_run_header *h)
{
    h->engine[sizeof h->engine - 1] = '\0';
    h->exe[sizeof h->exe - 1] = '\0';
}

int sn_run_load_memory(const void *data, size_t bytes, struct sn_run_file *f, char **why)
{
    *f = (struct sn_run_file){0};
    memcpy(&f->header, data, bytes < sizeof f->header ? bytes : sizeof f->header);
    int err = check_header(&f->header, bytes, why);
    if (err)
        return err;
    end_texts(&f->header);
    f->bytes = record_bytes(f, bytes);
    f->data = sn_xcalloc(f->bytes + 8, 1);
    if (f->bytes)
        memcpy(f->data, (const char *)data + f->header.header_bytes, f->bytes);
    return 0;
}

static ssize_t read_at(int fd, void *to, size_t bytes, off_t at)
{
    size_t done = 0;
    while (done < bytes) {
        ssize_t n = pread(fd, (char *)to + done, bytes - done, at + (off_t)done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        if (n == 0)
            break;
        done += (size_t)n;
    }
    return (ssize_t)done;
}

static int load_fd(int fd, struct sn_run_file *f, char **why)
{
    struct stat st;
    if (fstat(fd, &st))
        return bad(why, -errno, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return bad(why, -EBADMSG, "it is not a regular file");
    ssize_t n = read_at(fd, &f->header, sizeof f->header, 0);
    if (n < 0)
        return bad(why, (int)n, strerror((int)-n));
    int err = check_header(&f->header, (size_t)n, why);
    if (err)
        return err;
    end_texts(&f->header);
    f->bytes = record_bytes(f, (size_t)st.st_size);
    f->data = sn_xcalloc(f->bytes + 8, 1);
    n = read_at(fd, f->data, f->bytes, (off_t)f->header.header_bytes);
    return n < 0 ? bad(why, (int)n, strerror((int)-n)) : 0;
}

int sn_run_load(const char *path, struct sn_run_file *f, char **why)
{
    *f = (struct sn_run_file){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return bad(why, -errno, strerror(errno));
    int err = load_fd(fd, f, why);
    close(fd);
    if (err)
        sn_run_unload(f);
    return err;
}

void sn_run_unload(struct sn_run_file *f)
{
    free(f->data);
    f->data = NULL;
    f->bytes = 0;
}

void sn_run_rewind(struct sn_run_file *f)
{
    f->at = 0;
    f->pending = 0;
    f->skipped = 0;
    f->skipped_at = 0;
}

static bool decodes(const struct sn_rec *r)
{
    union {
        struct sn_run_module module;
        struct sn_run_finding finding;
        struct sn_run_edge edge;
        struct sn_run_lock_info lock;
        struct sn_run_stack stack;
    } out;
    const char *text;
    size_t bytes;
    switch (r->type) {
    case SN_REC_MODULE:
        return !sn_run_module(r, &out.module);
    case SN_REC_FINDING:
        return !sn_run_finding(r, &out.finding);
    case SN_REC_LOCK_EDGE:
        return !sn_run_edge(r, &out.edge);
    case SN_REC_LOCK_INFO:
        return !sn_run_lock_info(r, &out.lock);
    case SN_REC_STACK:
        return !sn_run_stack(r, &out.stack);
    default:
        return !sn_run_text(r, &text, &bytes);
    }
}

static bool fits(const struct sn_run_file *f, size_t at)
{
    const struct sn_rec *r = (const struct sn_rec *)(f->data + at);
    return r->bytes >= sizeof *r && r->bytes % 8 == 0 && r->bytes <= f->bytes - at;
}

/* A record whose writer died before it wrote the length: zeros up to the next record, if any. What
 * follows is searched for something that decodes; a chance hit in garbage would need every count in
 * it to add up. */
static void resynchronise(struct sn_run_file *f)
{
    size_t start = f->at;
    bool zero = true;
    for (; f->at < f->bytes; f->at += 8) {
        const struct sn_rec *r = (const struct sn_rec *)(f->data + f->at);
        if (f->at > start && r->type > SN_REC_PENDING && r->type < SN_REC_TYPES && fits(f, f->at) &&
            decodes(r))
            break;
        zero = zero && !memcmp(r, &(uint64_t){0}, 8);
    }
    if (zero) {
        f->pending++;
        return;
    }
    if (!f->skipped)
        f->skipped_at = f->header.header_bytes + start;
    f->skipped += f->at - start;
}

const struct sn_rec *sn_run_next(struct sn_run_file *f)
{
    while (f->at < f->bytes) {
        const struct sn_rec *r = (const struct sn_rec *)(f->data + f->at);
        if (!fits(f, f->at) || (r->type > SN_REC_PENDING && !decodes(r))) {
            resynchronise(f);
            continue;
        }
        f->at += r->bytes;
        if (r->type > SN_REC_PENDING)
            return r;
        f->pending++;
    }
    return NULL;
}

/* ---- decoders ---- */

struct cursor {
    const uint8_t *at;
    size_t left;
    bool bad;
};

static struct cursor payload(const struct sn_rec *r)
{
    size_t bytes = r->bytes - sizeof *r;
    struct cursor c = {(const uint8_t *)(r + 1), bytes, r->payload_slack > bytes};
    if (!c.bad)
        c.left -= r->payload_slack;
    return c;
}

/* count × size bytes; the next thing begins at a multiple of 8, the last may end without padding.
 */
static const void *take(struct cursor *c, size_t count, size_t size)
{
    size_t bytes = count * size; /* both small: 16-bit counts of small structs */
    if (c->bad || bytes > c->left) {
        c->bad = true;
        return NULL;
    }
    const void *p = c->at;
    size_t padded = (bytes + 7) & ~(size_t)7;
    padded = padded > c->left ? c->left : padded;
    c->at += padded;
    c->left -= padded;
    return p;
}

int sn_run_text(const struct sn_rec *r, const char **text, size_t *bytes)
{
    struct cursor c = payload(r);
    *text = (const char *)c.at;
    *bytes = c.left;
    return c.bad ? -EBADMSG : 0;
}

int sn_run_module(const struct sn_rec *r, struct sn_run_module *out)
{
    struct cursor c = payload(r);
    out->head = take(&c, 1, sizeof *out->head);
    if (c.bad || out->head->build_id_bytes > sizeof out->head->build_id ||
        out->head->index >= SN_NO_MODULE)
        return -EBADMSG;
    out->path = (const char *)c.at;
    out->path_bytes = c.left;
    return 0;
}

static void take_site(struct cursor *c, struct sn_run_site *s)
{
    s->head = take(c, 1, sizeof *s->head);
    if (c->bad)
        return;
    s->name = take(c, s->head->name_bytes, 1);
    s->locks = take(c, s->head->nlocks, sizeof *s->locks);
    s->frames = take(c, s->head->nframes, sizeof *s->frames);
    s->created = take(c, s->head->ncreated, sizeof *s->created);
    c->bad = c->bad || s->head->op >= SN_OP_COUNT;
}

int sn_run_finding(const struct sn_rec *r, struct sn_run_finding *out)
{
    struct cursor c = payload(r);
    const struct sn_rec_finding *h = out->head = take(&c, 1, sizeof *out->head);
    if (c.bad || h->kind >= SN_KIND_COUNT || h->status >= SN_STATUS_COUNT ||
        h->object_kind > SN_OBJ_LOCK)
        return -EBADMSG;
    out->text = take(&c, h->text_bytes, 1);
    out->alloc = take(&c, h->obj_nframes, sizeof *out->alloc);
    for (unsigned i = 0; !c.bad && i < h->nsites; i++)
        take_site(&c, &out->site[i]);
    return c.bad ? -EBADMSG : 0;
}

int sn_run_edge(const struct sn_rec *r, struct sn_run_edge *out)
{
    struct cursor c = payload(r);
    const struct sn_rec_lock_edge *h = out->head = take(&c, 1, sizeof *out->head);
    if (c.bad)
        return -EBADMSG;
    out->gates = take(&c, h->ngates, sizeof *out->gates);
    out->from = take(&c, h->nfrom, sizeof *out->from);
    out->to = take(&c, h->nto, sizeof *out->to);
    out->clock = take(&c, h->nclock, sizeof *out->clock);
    return c.bad ? -EBADMSG : 0;
}

int sn_run_lock_info(const struct sn_rec *r, struct sn_run_lock_info *out)
{
    struct cursor c = payload(r);
    out->head = take(&c, 1, sizeof *out->head);
    if (c.bad)
        return -EBADMSG;
    out->alloc = take(&c, out->head->nframes, sizeof *out->alloc);
    return c.bad ? -EBADMSG : 0;
}

int sn_run_stack(const struct sn_rec *r, struct sn_run_stack *out)
{
    struct cursor c = payload(r);
    out->head = take(&c, 1, sizeof *out->head);
    if (c.bad)
        return -EBADMSG;
    out->frames = take(&c, out->head->nframes, sizeof *out->frames);
    return c.bad ? -EBADMSG : 0;
}
