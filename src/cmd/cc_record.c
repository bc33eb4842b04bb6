/*
 * cc_record.c: see cc_record.h. A section is added at the end of the file, in place: its bytes, the
 * names of all sections, the table of all sections; nothing else moves. A record is a row of
 * strings, each with its zero, so that records stand one behind the other however they came there.
 */
#include "cmd/cc_record.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/xalloc.h"

static const char section_name[] = ".snag.cc", magic[] = "snag cc 1";

enum { MOST_BYTES = 1 << 20 }; /* of a record; longer lines are not remembered */

/* ---- arguments ---- */

static bool ends(const char *word, const char *with)
{
    size_t n = strlen(word), m = strlen(with);
    return n > m && strcmp(word + n - m, with) == 0;
}

bool sn_cc_is_source(const char *word)
{
    static const char *const suffix[] = {".c", ".cc", ".cpp", ".cxx", ".C", ".c++", ".cp"};
    for (size_t i = 0; *word != '-' && i < sizeof suffix / sizeof *suffix; i++)
        if (ends(word, suffix[i]))
            return true;
    return false;
}

char *sn_cc_output(char *const *args, bool links)
{
    const char *given = NULL, *source = NULL;
    size_t sources = 0;
    for (; *args; args++) {
        if (strcmp(*args, "-o") == 0 && args[1])
            given = *++args;
        else if (strncmp(*args, "-o", 2) == 0 && (*args)[2])
            given = *args + 2;
        else if (sn_cc_is_source(*args)) {
            source = *args;
            sources++;
        }
    }
    if (given)
        return sn_xstrdup(given);
    if (links)
        return sn_xstrdup("a.out");
    if (sources != 1)
        return NULL;
    const char *slash = strrchr(source, '/'), *base = slash ? slash + 1 : source;
    return sn_xformat("%.*s.o", (int)(strrchr(base, '.') - base), base);
}

/* ---- the file ---- */

struct sections {
    int fd;
    Elf64_Ehdr head;
    Elf64_Shdr *table;
    char *names;
    off_t end;
};

static bool get(int fd, void *to, size_t bytes, off_t at)
{
    return pread(fd, to, bytes, at) == (ssize_t)bytes;
}

static void close_sections(struct sections *s)
{
    free(s->table);
    free(s->names);
    if (s->fd >= 0)
        close(s->fd);
}

static bool read_names(struct sections *s)
{
    const Elf64_Shdr *n = &s->table[s->head.e_shstrndx];
    if (!n->sh_size || n->sh_size > (size_t)s->end)
        return false;
    s->names = sn_xcalloc(n->sh_size + 1, 1);
    return get(s->fd, s->names, n->sh_size, (off_t)n->sh_offset);
}

static bool open_sections(struct sections *s, const char *path, int flags)
{
    struct stat st;
    Elf64_Ehdr *h = &s->head;
    *s = (struct sections){.fd = open(path, flags | O_CLOEXEC)};
    if (s->fd < 0 || fstat(s->fd, &st) < 0 || !S_ISREG(st.st_mode) || !get(s->fd, h, sizeof *h, 0))
        return false;
    s->end = st.st_size;
    /* a file with several names may be a cache's */
    if ((flags == O_RDWR && st.st_nlink != 1) || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 ||
        h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_shentsize != sizeof *s->table || !h->e_shnum ||
        h->e_shnum >= SHN_LORESERVE - 1 || h->e_shstrndx >= h->e_shnum)
        return false;
    s->table = sn_xcalloc((size_t)h->e_shnum + 1, sizeof *s->table);
    return get(s->fd, s->table, h->e_shnum * sizeof *s->table, (off_t)h->e_shoff) && read_names(s);
}

static bool put(int fd, const void *from, size_t bytes, size_t *at)
{
    if (pwrite(fd, from, bytes, (off_t)*at) != (ssize_t)bytes)
        return false;
    *at += bytes;
    return true;
}

/* The head is written last: until then the file is what it was. */
static void append(struct sections *s, const char *data, size_t bytes)
{
    Elf64_Shdr *names = &s->table[s->head.e_shstrndx], *mine = &s->table[s->head.e_shnum];
    size_t at = (size_t)s->end, old = names->sh_size, zero = 0;
    *mine = (Elf64_Shdr){.sh_name = (Elf64_Word)old,
                         .sh_type = SHT_PROGBITS,
                         .sh_offset = at,
                         .sh_size = bytes,
                         .sh_addralign = 1};
    bool ok = put(s->fd, data, bytes, &at);
    names->sh_offset = at;
    names->sh_size = old + sizeof section_name;
    ok = ok && put(s->fd, s->names, old, &at) && put(s->fd, section_name, sizeof section_name, &at);
    at = (at + 7) & ~(size_t)7;
    s->head.e_shoff = at;
    s->head.e_shnum++;
    ok = ok && put(s->fd, s->table, s->head.e_shnum * sizeof *s->table, &at) &&
         put(s->fd, &s->head, sizeof s->head, &zero);
    if (!ok && !zero && ftruncate(s->fd, s->end) < 0)
        return; /* some bytes behind the file's end, which nobody reads */
}

/* ---- records ---- */

static void add(FILE *f, const char *word)
{
    fwrite(word, 1, strlen(word) + 1, f);
}

void sn_cc_record_put(const struct sn_cc_record *r)
{
    struct sections s;
    char *data = NULL, count[32];
    size_t bytes;
    FILE *f = sn_xcheck(open_memstream(&data, &bytes));
    snprintf(count, sizeof count, "%zu", r->args.n);
    add(f, magic);
    add(f, r->links ? "link" : "compile");
    add(f, r->is_cxx ? "c++" : "c");
    add(f, r->output);
    add(f, r->compiler);
    add(f, r->folder);
    add(f, count);
    for (size_t i = 0; i < r->args.n; i++)
        add(f, r->args.v[i]);
    fclose(f);
    if (open_sections(&s, r->output, O_RDWR) && bytes <= MOST_BYTES)
        append(&s, data, bytes);
    close_sections(&s);
    free(data);
}

struct reading {
    const char *at, *end;
};

/* Empty behind the end. */
static const char *next(struct reading *in)
{
    const char *word = in->at;
    if (in->at >= in->end)
        return "";
    in->at += strlen(word) + 1;
    return word;
}

/* `in` ends with a zero. */
static void read_records(struct reading in, struct sn_cc_records *out)
{
    while (in.at < in.end) {
        if (strcmp(next(&in), magic) != 0)
            continue;
        struct sn_cc_record r = {.links = strcmp(next(&in), "link") == 0};
        r.is_cxx = strcmp(next(&in), "c++") == 0;
        r.output = sn_xstrdup(next(&in));
        r.compiler = sn_xstrdup(next(&in));
        r.folder = sn_xstrdup(next(&in));
        for (size_t n = strtoul(next(&in), NULL, 10); n && in.at < in.end; n--)
            sn_words_add(&r.args, next(&in));
        out->v = sn_xgrow(out->v, out->n, &out->cap, sizeof *out->v);
        out->v[out->n++] = r;
    }
}

void sn_cc_records_read(const char *path, struct sn_cc_records *out)
{
    struct sections s;
    *out = (struct sn_cc_records){0};
    size_t n = open_sections(&s, path, O_RDONLY) ? s.head.e_shnum : 0;
    for (size_t i = 0; i < n; i++) {
        const Elf64_Shdr *h = &s.table[i];
        if (h->sh_name >= s.table[s.head.e_shstrndx].sh_size ||
            strcmp(s.names + h->sh_name, section_name) != 0 || h->sh_size > (size_t)s.end)
            continue;
        char *data = sn_xcalloc(h->sh_size + 1, 1);
        if (get(s.fd, data, h->sh_size, (off_t)h->sh_offset))
            read_records((struct reading){data, data + h->sh_size}, out);
        free(data);
    }
    close_sections(&s);
}

void sn_cc_records_free(struct sn_cc_records *r)
{
    for (size_t i = 0; i < r->n; i++) {
        free(r->v[i].output);
        free(r->v[i].compiler);
        free(r->v[i].folder);
        sn_words_free(&r->v[i].args);
    }
    free(r->v);
}
